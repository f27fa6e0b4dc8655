#include "textflag.h"

// The 64 bytes are dealt to V0, V1, V2 and V3 in turn. So a byte of V0 has the byte behind it at the same place of V1.
// V4 and V5 go on: V4 has the bytes behind those of V3, and V5 has the bytes behind those of V4.
// V16 to V21 are the fingerprints, V22 is mask and V23 is ender.
//
// Maps are stored two by two, in the order of their fields. Bytes that are all ones or all zeros make them: V6 to V9
// the first of the two, V10 to V13 the second. V24 to V31 are used in between.

// GATHER makes four bits of the bytes at one place of a, b, c and d. They are the upper half of the byte in d.
#define GATHER(a, b, c, d) \
	VSRI $1, a.B16, b.B16; \
	VSRI $1, c.B16, d.B16; \
	VSRI $2, b.B16, d.B16

// STORE puts two maps behind those that are stored. A byte at an even place and the next one give four bits each
// to a byte of a map.
#define STORE \
	GATHER(V6, V7, V8, V9); \
	GATHER(V10, V11, V12, V13); \
	VUZP1 V13.B16, V9.B16, V6.B16; \
	VUZP2 V13.B16, V9.B16, V7.B16; \
	VSRI $4, V6.B16, V7.B16; \
	VST1.P [V7.B16], 16(R0)

// BYTE takes the bytes that are c.
#define BYTE(c, to0, to1, to2, to3) \
	VMOVI $c, V24.B16; \
	VCMEQ V24.B16, V0.B16, to0.B16; \
	VCMEQ V24.B16, V1.B16, to1.B16; \
	VCMEQ V24.B16, V2.B16, to2.B16; \
	VCMEQ V24.B16, V3.B16, to3.B16

// DIGIT takes the bytes of from that are from V24 on, and at most V25 more.
#define DIGIT(from, to) \
	VSUB V24.B16, from.B16, V28.B16; \
	VUMIN V25.B16, V28.B16, V29.B16; \
	VCMEQ V28.B16, V29.B16, to.B16

// LETTER takes those that are from V26 on, and at most V27 more, once the bits of V30 are set.
#define LETTER(from, to) \
	VORR V30.B16, from.B16, V28.B16; \
	VSUB V26.B16, V28.B16, V28.B16; \
	VUMIN V27.B16, V28.B16, V29.B16; \
	VCMEQ V28.B16, V29.B16, to.B16

// ENDER takes the bytes of from that are V24, or V23 once the bits of V22 are set.
#define ENDER(from, to) \
	VORR V22.B16, from.B16, V28.B16; \
	VCMEQ V23.B16, V28.B16, V28.B16; \
	VCMEQ V24.B16, from.B16, V29.B16; \
	VORR V28.B16, V29.B16, to.B16

// WIDE takes the bytes of from that are at least V25.
#define WIDE(from, to) \
	VUMAX V25.B16, from.B16, V28.B16; \
	VCMEQ V28.B16, from.B16, to.B16

// HALVES gives the upper halves of bytes, and leaves only the lower ones. V24 is 15.
#define HALVES(lower, upper) \
	VUSHR $4, lower.B16, upper.B16; \
	VAND V24.B16, lower.B16, lower.B16

// GROUPS gives in to the groups of which three bytes may be a fingerprint.
#define GROUPS(lower0, upper0, lower1, upper1, lower2, upper2, to) \
	VTBL lower0.B16, [V16.B16], V24.B16; \
	VTBL upper0.B16, [V17.B16], V25.B16; \
	VTBL lower1.B16, [V18.B16], V26.B16; \
	VTBL upper1.B16, [V19.B16], V27.B16; \
	VAND V24.B16, V25.B16, V24.B16; \
	VAND V26.B16, V27.B16, V26.B16; \
	VTBL lower2.B16, [V20.B16], V25.B16; \
	VTBL upper2.B16, [V21.B16], V27.B16; \
	VAND V25.B16, V27.B16, V25.B16; \
	VAND V24.B16, V26.B16, V24.B16; \
	VAND V24.B16, V25.B16, to.B16

// func mapNEON(maps *bitmaps, p *byte, n int, f *fingerprints, mask, ender byte)
TEXT ·mapNEON(SB), NOSPLIT, $0-34
	MOVD maps+0(FP), R0
	MOVD p+8(FP), R1
	MOVD n+16(FP), R2
	MOVD f+24(FP), R3
	MOVBU mask+32(FP), R4
	MOVBU ender+33(FP), R5
	VLD1.P 64(R3), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1 (R3), [V20.B16, V21.B16]
	VDUP R4, V22.B16
	VDUP R5, V23.B16

next:
	VLD4.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD2R (R1), [V4.B16, V5.B16]
	VEXT $1, V4.B16, V0.B16, V4.B16
	VEXT $1, V5.B16, V1.B16, V5.B16

	BYTE(0x3c, V6, V7, V8, V9) // less
	BYTE(0x3e, V10, V11, V12, V13) // more
	STORE
	BYTE(0x22, V6, V7, V8, V9) // quote
	BYTE(0x3d, V10, V11, V12, V13) // equal
	STORE
	BYTE(0x2f, V6, V7, V8, V9) // slash
	BYTE(0x26, V10, V11, V12, V13) // ampersand
	STORE

	VMOVI $0x30, V24.B16
	VMOVI $9, V25.B16
	DIGIT(V0, V6)
	DIGIT(V1, V7)
	DIGIT(V2, V8)
	DIGIT(V3, V9)
	VMOVI $0x61, V26.B16
	VMOVI $25, V27.B16
	VMOVI $0x20, V30.B16
	LETTER(V0, V10)
	LETTER(V1, V11)
	LETTER(V2, V12)
	LETTER(V3, V13)
	STORE

	VMOVI $0x23, V24.B16
	ENDER(V0, V6)
	ENDER(V1, V7)
	ENDER(V2, V8)
	ENDER(V3, V9)
	VMOVI $0xd9, V25.B16
	WIDE(V0, V10)
	WIDE(V1, V11)
	WIDE(V2, V12)
	WIDE(V3, V13)
	STORE

	VMOVI $0x0f, V24.B16
	HALVES(V0, V6)
	HALVES(V1, V7)
	HALVES(V2, V8)
	HALVES(V3, V9)
	HALVES(V4, V10)
	HALVES(V5, V11)
	GROUPS(V0, V6, V1, V7, V2, V8, V28)
	GROUPS(V1, V7, V2, V8, V3, V9, V29)
	GROUPS(V2, V8, V3, V9, V4, V10, V30)
	GROUPS(V3, V9, V4, V10, V5, V11, V31)
	VMOVI $0x1f, V24.B16 // named
	VCMTST V24.B16, V28.B16, V6.B16
	VCMTST V24.B16, V29.B16, V7.B16
	VCMTST V24.B16, V30.B16, V8.B16
	VCMTST V24.B16, V31.B16, V9.B16
	VMOVI $0xe0, V24.B16 // marked
	VCMTST V24.B16, V28.B16, V10.B16
	VCMTST V24.B16, V29.B16, V11.B16
	VCMTST V24.B16, V30.B16, V12.B16
	VCMTST V24.B16, V31.B16, V13.B16
	STORE

	SUB $1, R2
	CBNZ R2, next
	RET
