#include "textflag.h"

// EACH is a byte given eight times, 32 times in memory.
#define EACH(name, bytes) \
	DATA name<>+0(SB)/8, $bytes; \
	DATA name<>+8(SB)/8, $bytes; \
	DATA name<>+16(SB)/8, $bytes; \
	DATA name<>+24(SB)/8, $bytes; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

EACH(less, 0x3c3c3c3c3c3c3c3c)
EACH(more, 0x3e3e3e3e3e3e3e3e)
EACH(quote, 0x2222222222222222)
EACH(equal, 0x3d3d3d3d3d3d3d3d)
EACH(slash, 0x2f2f2f2f2f2f2f2f)
EACH(ampersand, 0x2626262626262626)
EACH(hash, 0x2323232323232323)
EACH(zero, 0x3030303030303030)
EACH(nine, 0x0909090909090909)
EACH(small, 0x2020202020202020)
EACH(a, 0x6161616161616161)
EACH(z, 0x1919191919191919)
EACH(wide, 0xd9d9d9d9d9d9d9d9)
EACH(half, 0x0f0f0f0f0f0f0f0f)
EACH(names, 0x1f1f1f1f1f1f1f1f)
EACH(marks, 0xe0e0e0e0e0e0e0e0)

// TAKE puts the high bits of the bytes in y where a map's half is.
#define TAKE(y, at) VPMOVMSKB y, AX; MOVL AX, at(DI)

// BYTE takes the bytes of Y0 that are what is in memory.
#define BYTE(name, at) VPCMPEQB name<>(SB), Y0, Y1; TAKE(Y1, at)

// NIBBLES gives in to the groups of which the bytes at from may be the next.
#define NIBBLES(from, lower, upper, to) \
	VMOVDQU from(SI), Y1; \
	VPAND Y7, Y1, Y2; \
	VPSHUFB Y2, lower, Y2; \
	VPSRLW $4, Y1, Y3; \
	VPAND Y7, Y3, Y3; \
	VPSHUFB Y3, upper, Y3; \
	VPAND Y2, Y3, to

// HALF makes half of each map, from 32 bytes.
#define HALF(from, at) \
	VMOVDQU from(SI), Y0; \
	BYTE(less, 0+at); \
	BYTE(more, 8+at); \
	BYTE(quote, 16+at); \
	BYTE(equal, 24+at); \
	BYTE(slash, 32+at); \
	BYTE(ampersand, 40+at); \
	VPSUBB zero<>(SB), Y0, Y1; \
	VPMINUB nine<>(SB), Y1, Y2; \
	VPCMPEQB Y1, Y2, Y1; \
	TAKE(Y1, 48+at); \
	VPOR small<>(SB), Y0, Y1; \
	VPSUBB a<>(SB), Y1, Y1; \
	VPMINUB z<>(SB), Y1, Y2; \
	VPCMPEQB Y1, Y2, Y1; \
	TAKE(Y1, 56+at); \
	VPOR Y8, Y0, Y1; \
	VPCMPEQB Y9, Y1, Y1; \
	VPCMPEQB hash<>(SB), Y0, Y2; \
	VPOR Y1, Y2, Y1; \
	TAKE(Y1, 64+at); \
	VPMAXUB wide<>(SB), Y0, Y1; \
	VPCMPEQB Y0, Y1, Y1; \
	TAKE(Y1, 72+at); \
	NIBBLES(from, Y10, Y11, Y4); \
	NIBBLES(from+1, Y12, Y13, Y5); \
	VPAND Y4, Y5, Y4; \
	NIBBLES(from+2, Y14, Y15, Y5); \
	VPAND Y4, Y5, Y4; \
	VPAND names<>(SB), Y4, Y5; \
	VPCMPEQB Y6, Y5, Y5; \
	VPMOVMSKB Y5, AX; \
	NOTL AX; \
	MOVL AX, (80+at)(DI); \
	VPAND marks<>(SB), Y4, Y4; \
	VPCMPEQB Y6, Y4, Y4; \
	VPMOVMSKB Y4, AX; \
	NOTL AX; \
	MOVL AX, (88+at)(DI)

// func mapAVX2(maps *bitmaps, p *byte, n int, f *fingerprints, mask, ender byte)
TEXT ·mapAVX2(SB), NOSPLIT, $0-34
	MOVQ maps+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ f+24(FP), BX
	VPBROADCASTB mask+32(FP), Y8
	VPBROADCASTB ender+33(FP), Y9
	VBROADCASTI128 0(BX), Y10
	VBROADCASTI128 16(BX), Y11
	VBROADCASTI128 32(BX), Y12
	VBROADCASTI128 48(BX), Y13
	VBROADCASTI128 64(BX), Y14
	VBROADCASTI128 80(BX), Y15
	VMOVDQU half<>(SB), Y7
	VPXOR Y6, Y6, Y6

next:
	HALF(0, 0)
	HALF(32, 4)
	ADDQ $64, SI
	ADDQ $96, DI
	DECQ CX
	JNZ next
	VZEROUPPER
	RET
