#include "textflag.h"

// GATHER puts the high bits of the 64 bytes in X0 to X3 into R8.
#define GATHER \
	PMOVMSKB X0, R8; \
	PMOVMSKB X1, R9; \
	PMOVMSKB X2, R10; \
	PMOVMSKB X3, R11; \
	SHLQ $16, R9; \
	SHLQ $32, R10; \
	SHLQ $48, R11; \
	ORQ R9, R8; \
	ORQ R11, R10; \
	ORQ R10, R8

// EACH repeats one byte, given eight times, in a register.
#define EACH(bytes, x) \
	MOVQ $bytes, BX; \
	MOVQ BX, x; \
	PUNPCKLQDQ x, x

// func stops(b *[64]byte) (stops, less, high uint64)
TEXT ·stops(SB), NOSPLIT, $0-32
	MOVQ b+0(FP), AX
	MOVOU (AX), X0
	MOVOU 16(AX), X1
	MOVOU 32(AX), X2
	MOVOU 48(AX), X3
	GATHER
	MOVQ R8, high+24(FP)

	MOVO X0, X6
	MOVO X1, X7
	MOVO X2, X8
	MOVO X3, X9
	EACH(0x3c3c3c3c3c3c3c3c, X4)
	PCMPEQB X4, X0
	PCMPEQB X4, X1
	PCMPEQB X4, X2
	PCMPEQB X4, X3
	GATHER
	MOVQ R8, less+16(FP)

	// The bytes whose upper half is 3.
	EACH(0xf0f0f0f0f0f0f0f0, X4)
	EACH(0x3030303030303030, X5)
	MOVO X6, X0
	MOVO X7, X1
	MOVO X8, X2
	MOVO X9, X3
	PAND X4, X0
	PAND X4, X1
	PAND X4, X2
	PAND X4, X3
	PCMPEQB X5, X0
	PCMPEQB X5, X1
	PCMPEQB X5, X2
	PCMPEQB X5, X3
	GATHER
	MOVQ R8, stops+8(FP)
	RET
