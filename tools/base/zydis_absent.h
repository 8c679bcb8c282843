/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zydis_absent.h - in Zydis' place where Debian has none, on big-endian machines: what the
 * converter uses of it.  No instruction is decoded, so code of x86-64 without call frame
 * information stays without rows.  The Makefile makes a Zydis/Zydis.h that includes this.
 */
#ifndef LW_ZYDIS_ABSENT_H
#define LW_ZYDIS_ABSENT_H

#include <stddef.h>
#include <stdint.h>

#define ZYDIS_MAX_OPERAND_COUNT		10
#define ZYDIS_MAX_INSTRUCTION_LENGTH	15

#define ZYAN_SUCCESS(status)		(status)

enum {
	ZYDIS_MACHINE_MODE_LONG_64,
	ZYDIS_STACK_WIDTH_64,
};

typedef enum {
	ZYDIS_OPERAND_TYPE_REGISTER = 1,
	ZYDIS_OPERAND_TYPE_MEMORY,
	ZYDIS_OPERAND_TYPE_IMMEDIATE,
} ZydisOperandType;

enum {
	ZYDIS_OPERAND_ACTION_MASK_READ = 1,
	ZYDIS_OPERAND_ACTION_MASK_WRITE,
};

typedef enum {
	ZYDIS_REGISTER_NONE,
	ZYDIS_REGISTER_RAX,
	ZYDIS_REGISTER_RSP = ZYDIS_REGISTER_RAX + 4,
	ZYDIS_REGISTER_R15 = ZYDIS_REGISTER_RAX + 15,
	ZYDIS_REGISTER_FS,
	ZYDIS_REGISTER_GS,
	ZYDIS_REGISTER_RIP,
} ZydisRegister;

typedef enum {
	ZYDIS_MNEMONIC_ADD = 1, ZYDIS_MNEMONIC_AND, ZYDIS_MNEMONIC_CALL, ZYDIS_MNEMONIC_CMP,
	ZYDIS_MNEMONIC_ENDBR64, ZYDIS_MNEMONIC_HLT, ZYDIS_MNEMONIC_INT3, ZYDIS_MNEMONIC_JMP,
	ZYDIS_MNEMONIC_JNBE, ZYDIS_MNEMONIC_JNZ, ZYDIS_MNEMONIC_LEA, ZYDIS_MNEMONIC_LEAVE,
	ZYDIS_MNEMONIC_MOV, ZYDIS_MNEMONIC_MOVSXD, ZYDIS_MNEMONIC_POP, ZYDIS_MNEMONIC_POPFQ,
	ZYDIS_MNEMONIC_PUSH, ZYDIS_MNEMONIC_PUSHFQ, ZYDIS_MNEMONIC_SUB, ZYDIS_MNEMONIC_UD0,
	ZYDIS_MNEMONIC_UD1, ZYDIS_MNEMONIC_UD2, ZYDIS_MNEMONIC_XCHG, ZYDIS_MNEMONIC_XOR,
} ZydisMnemonic;

typedef enum {
	ZYDIS_CATEGORY_CALL = 1, ZYDIS_CATEGORY_COND_BR, ZYDIS_CATEGORY_NOP, ZYDIS_CATEGORY_RET,
	ZYDIS_CATEGORY_SYSRET, ZYDIS_CATEGORY_UNCOND_BR, ZYDIS_CATEGORY_WIDENOP,
} ZydisInstructionCategory;

typedef struct {
	int unused;
} ZydisDecoder;

typedef struct {
	ZydisMnemonic mnemonic;
	uint8_t length;
	uint8_t operand_count;
	uint8_t operand_count_visible;
	uint8_t operand_width;
	struct {
		ZydisInstructionCategory category;
	} meta;
} ZydisDecodedInstruction;

typedef struct {
	ZydisOperandType type;
	unsigned int actions;
	uint16_t size;
	struct {
		ZydisRegister value;
	} reg;
	struct {
		ZydisRegister segment;
		ZydisRegister base;
		ZydisRegister index;
		uint8_t scale;
		struct {
			int64_t value;
		} disp;
	} mem;
	struct {
		uint8_t is_relative;
		uint8_t is_signed;
		union {
			uint64_t u;
			int64_t s;
		} value;
	} imm;
} ZydisDecodedOperand;

static inline int ZydisDecoderInit(ZydisDecoder *decoder, int mode, int width)
{
	(void)mode;
	(void)width;
	decoder->unused = 0;
	return 0;
}

/* Return: ZYAN_SUCCESS() of it is false. */
static inline int ZydisDecoderDecodeFull(const ZydisDecoder *decoder, const void *code, size_t len,
					 ZydisDecodedInstruction *insn, ZydisDecodedOperand *ops)
{
	(void)decoder;
	(void)code;
	(void)len;
	*insn = (ZydisDecodedInstruction){ 0 };
	ops[0] = (ZydisDecodedOperand){ 0 };
	return 0;
}

static inline ZydisRegister ZydisRegisterGetLargestEnclosing(int mode, ZydisRegister reg)
{
	(void)mode;
	return reg;
}

#endif /* LW_ZYDIS_ABSENT_H */
