// SPDX-License-Identifier: GPL-2.0
/* sframe_abi_test - rows of aarch64 and s390x, in their own byte order */
#include "lookup.h"

#define A64_RA	30
#define S390_RA	14

static const __u8 a64_abis[] = {
	LW_SFRAME_ABI_AARCH64_LE, LW_SFRAME_ABI_AARCH64_BE,
};

static struct lw_rule a64(struct lw_rule_value cfa, __s32 ra, __s32 fp)
{
	return (struct lw_rule){
		.cfa = cfa,
		.ra = ra ? mem(at_cfa(ra)) : at_reg(A64_RA, 0),
		.fp = fp ? mem(at_cfa(fp)) : (struct lw_rule_value){ 0 },
	};
}

static struct lw_rule s390(struct lw_rule_value cfa, __s32 ra, __s32 fp)
{
	struct lw_rule rule = a64(cfa, ra, fp);

	if (!ra)
		rule.ra = at_reg(S390_RA, 0);
	rule.sp_off = -160;
	return rule;
}

static struct lw_rule with(struct lw_rule rule, __u32 flags)
{
	rule.flags = flags;
	return rule;
}

static void begin(struct section *sec, const struct form *form, __u8 abi)
{
	section_init(sec, form->version, abi, form->flags);
	section_fde(sec, 0x401800, 16, INC | 1, 0);
	section_row(sec, 0, SP, 16);
	section_fde(sec, 0x402000, 64, INC, 0);
}

/* ---- all that is not in a row's words, in both byte orders ---- */

TEST(other_abis_have_all_encodings_too)
{
	struct section sec;
	int abi, type, n;

	EACH_FORM {
		for (abi = 1; abi <= 4; abi++) {
			section_init(&sec, form->version, abi, form->flags);
			for (n = 0; n < 9; n++) {
				type = n % 3;
				section_fde(&sec, 0x402000 + 0x1000 * n, 0x900,
					    INC | type, 0);
				section_row(&sec, 0, SP);
				section_row(&sec, type ? 0x812 : 0x12, SP);
				section_row(&sec, type ? 0x834 : 0x34, SP | W4);
				section_row(&sec, type ? 0x834 : 0x34,
					    SP | W4, n);
			}
			section_fde(&sec, 0x410000, 64, MASK, 16);
			section_row(&sec, 2, SP);
			section_finish(&sec);
			for (n = 0; n < 9; n++)
				CHECK(is_outermost(&sec, 0x402000 +
							 0x1000 * n + 0x20));
			CHECK_EQ(result(&sec, 0x410011), LW_SFRAME_NO_RULE);
			CHECK(is_outermost(&sec, 0x410012));
			section_free(&sec);
		}
	}
}

/* Starts of 1, 2 and 4 bytes with bytes that differ, before and behind. */
TEST(starts_are_read_in_the_abis_order)
{
	static const struct {
		__u8 type;
		__u32 start;
	} of[] = { { 0, 0x12 }, { 1, 0x1234 }, { 2, 0x123456 } };
	struct lw_rule rule;
	struct section sec;
	int abi, i, n;
	__u64 pc;

	EACH_FORM {
		for (abi = 1; abi <= 4; abi++) {
			for (n = 0; n < 6; n++) {
				i = n / 2;
				section_init(&sec, form->version, abi,
					     form->flags);
				sec.place.text_end = 0x4000000;
				section_fde(&sec, 0x402000, 0x1000000,
					    INC | of[i].type, 0);
				section_row(&sec, 1, SP);
				section_row(&sec, of[i].start, SP, 0);
				if (n % 2)
					section_row(&sec, of[i].start + 1, SP);
				section_finish(&sec);
				pc = 0x402000 + of[i].start;
				CHECK_EQ(result(&sec, 0x402000),
					 LW_SFRAME_NO_RULE);
				CHECK(is_outermost(&sec, pc - 1));
				CHECK_EQ(find(&sec, pc, &rule), 0);
				CHECK_EQ(rule.flags, 0);
				if (n % 2)
					CHECK(is_outermost(&sec, pc + 1));
				section_free(&sec);
			}
		}
	}
}

TEST(words_are_read_in_the_abis_order)
{
	struct section sec;
	int abi, i;

	EACH_FORM {
		for (abi = 1; abi <= 2; abi++) {
			begin(&sec, form, abi);
			section_row(&sec, 0, SP, -112, -111, -128);
			section_row(&sec, 4, SP | W2, 0x1234, -0x1234, 0x7f80);
			section_row(&sec, 8, SP | W4, 0x12345678, -0x12345678,
				    -0x01020304);
			section_finish(&sec);
			for (i = 0; i < 4; i++) {
				CHECK(is_rule(&sec, 0x402000 + i,
					      a64(at_sp(-112), -111, -128)));
				CHECK(is_rule(&sec, 0x402004 + i,
					      a64(at_sp(0x1234), -0x1234,
						  0x7f80)));
				CHECK(is_rule(&sec, 0x402008 + i,
					      a64(at_sp(0x12345678),
						  -0x12345678, -0x01020304)));
			}
			section_free(&sec);
		}
	}
}

TEST(open_reports_the_abi_and_its_order)
{
	struct lw_sframe sf;
	struct section sec;
	int abi;

	EACH_FORM {
		for (abi = 1; abi <= 4; abi++) {
			begin(&sec, form, abi);
			section_finish(&sec);
			sec.wanted = LW_SFRAME_ABI_ANY;
			CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
			CHECK_EQ(sf.abi, abi);
			CHECK_EQ(sec.bytes[0] == 0xe2, abi == LW_SFRAME_ABI_AMD64 ||
				 abi == LW_SFRAME_ABI_AARCH64_LE);
			CHECK_EQ(sf.num_fdes, 2);
			CHECK_EQ(sf.fixed_ra,
				 abi == LW_SFRAME_ABI_AMD64 ? -8 : 0);
			section_free(&sec);
		}
	}
}

/* ---- aarch64 ---- */

TEST(aarch64_tracks_ra_in_its_rows)
{
	struct section sec;
	int i;

	EACH_FORM {
		for (i = 0; i < 2; i++) {
			begin(&sec, form, a64_abis[i]);
			section_row(&sec, 0, SP, 0);
			section_row(&sec, 4, SP, 32);
			section_row(&sec, 8, SP, 32, -24, -32);
			section_row(&sec, 12, FP | W2, 416, -8, -16);
			section_row(&sec, 16, SP);
			section_row(&sec, 20, SP, 48, -40);
			section_finish(&sec);
			/* in x30 until it is saved */
			CHECK(is_rule(&sec, 0x402000, a64(at_sp(0), 0, 0)));
			CHECK(is_rule(&sec, 0x402004, a64(at_sp(32), 0, 0)));
			CHECK(is_rule(&sec, 0x402008,
				      a64(at_sp(32), -24, -32)));
			CHECK(is_rule(&sec, 0x40200c,
				      a64(at_fp(416), -8, -16)));
			CHECK(is_outermost(&sec, 0x402010));
			/* gas writes RA without FP too */
			CHECK(is_rule(&sec, 0x402014, a64(at_sp(48), -40, 0)));
			section_free(&sec);
		}
	}
}

TEST(aarch64_reads_what_gas_wrote)
{
	/* @8, SP+32, RA CFA-24 mangled, FP CFA-32; a column of its own */
	static const __u8 row[] = { 0x08, 0x87, 0x20, 0xe8, 0xe0 };

	EACH_FORM_WITH(begin(&sec, form, LW_SFRAME_ABI_AARCH64_LE)) {
		section_row(&sec, 0, SP, 0, 0, 0);
		section_finish(&sec);
		memcpy(sec.bytes + section_fre_pos(&sec, 1), row, sizeof(row));
		CHECK(is_rule(&sec, 0x402008, with(a64(at_sp(32), -24, -32),
						   LW_RULE_PAC)));
		CHECK_EQ(result(&sec, 0x402007), LW_SFRAME_NO_RULE);
	}
}

TEST(aarch64_slots_at_the_cfa_itself_are_slots)
{
	struct lw_rule wanted = a64(at_sp(16), -8, -16);

	EACH_FORM_WITH(begin(&sec, form, LW_SFRAME_ABI_AARCH64_LE)) {
		section_row(&sec, 0, SP, 16, 0, 0);
		section_finish(&sec);
		wanted.ra = mem(at_cfa(0));
		wanted.fp = mem(at_cfa(0));
		CHECK(is_rule(&sec, 0x402000, wanted));
	}
}

static void check_counts(const struct form *form, __u8 abi, __u8 size)
{
	static const __s32 words[15] = { 32, -24, -32 };
	struct section sec;
	int n, wanted;

	for (n = 0; n < 16; n++) {
		wanted = n <= 3 ? 0 : LW_SFRAME_BAD_WORD_COUNT;
		begin(&sec, form, abi);
		section_words(&sec, 0, SP | size, words, n);
		section_row(&sec, 8, SP, 16);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x402000), wanted);
		CHECK_EQ(result(&sec, 0x402008), wanted);
		section_free(&sec);
	}
}

TEST(abis_that_track_ra_have_up_to_3_words)
{
	int size;

	EACH_FORM {
		for (size = W1; size <= W4; size += W2) {
			check_counts(form, LW_SFRAME_ABI_AARCH64_LE, size);
			check_counts(form, LW_SFRAME_ABI_AARCH64_BE, size);
			check_counts(form, LW_SFRAME_ABI_S390X, size);
		}
	}
}

TEST(aarch64_signed_ras_are_told)
{
	struct section sec;
	int i;

	EACH_FORM {
		for (i = 0; i < 2; i++) {
			begin(&sec, form, a64_abis[i]);
			section_row(&sec, 0, SP, 0);
			/* also while it is still in x30 */
			section_row(&sec, 4, SP | MANGLED, 0);
			section_row(&sec, 8, SP | MANGLED, 16, -8, -16);
			section_row(&sec, 12, SP, 0);
			section_row(&sec, 16, SP | MANGLED);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x402000, a64(at_sp(0), 0, 0)));
			CHECK(is_rule(&sec, 0x402004,
				      with(a64(at_sp(0), 0, 0), LW_RULE_PAC)));
			CHECK(is_rule(&sec, 0x402008,
				      with(a64(at_sp(16), -8, -16),
					   LW_RULE_PAC)));
			CHECK(is_rule(&sec, 0x40200c, a64(at_sp(0), 0, 0)));
			CHECK(is_outermost(&sec, 0x402010));
			section_free(&sec);
		}
	}
}

TEST(aarch64_signal_frames_and_signed_ras_go_together)
{
	struct section sec;

	section_init(&sec, 3, LW_SFRAME_ABI_AARCH64_LE, SORTED);
	section_fde(&sec, 0x402000, 16, INC | SIGNAL, 0);
	section_row(&sec, 0, SP | MANGLED, 16);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x402000, with(a64(at_sp(16), 0, 0),
					   LW_RULE_SIGNAL | LW_RULE_PAC)));
	section_free(&sec);
}

TEST(no_other_abi_has_signed_ras)
{
	struct section sec;

	EACH_FORM {
		begin(&sec, form, LW_SFRAME_ABI_AMD64);
		section_row(&sec, 0, SP | MANGLED, 16, -16);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, amd64(at_sp(16), -16)));
		section_free(&sec);
		begin(&sec, form, LW_SFRAME_ABI_S390X);
		section_row(&sec, 0, SP | MANGLED, 0, -48);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, s390(at_sp(160), -48, 0)));
		section_free(&sec);
	}
}

/* Which key it is does not matter to a look-up. */
TEST(the_key_of_a_function_is_told_and_no_matter)
{
	struct lw_sframe_fde fde;
	struct lw_sframe sf;
	struct section sec;
	int b;

	EACH_FORM {
		for (b = 0; b < 2; b++) {
			section_init(&sec, form->version,
				     LW_SFRAME_ABI_AARCH64_LE, form->flags);
			section_fde(&sec, 0x402000, 16,
				    INC | (b ? KEY_B : 0), 0);
			section_row(&sec, 0, SP | MANGLED, 16, -8, -16);
			section_finish(&sec);
			CHECK(is_rule(&sec, 0x402000,
				      with(a64(at_sp(16), -8, -16),
					   LW_RULE_PAC)));
			CHECK_EQ(section_open(&sec, &sf, BY_READ), 0);
			CHECK_EQ(lw_sframe_get_fde(&sf, 0, &fde), 0);
			CHECK_EQ(fde.pauth_b, b);
			section_free(&sec);
		}
	}
}

TEST(aarch64_flex_registers_have_its_numbers)
{
	struct lw_rule wanted;
	struct section sec;
	int i;

	for (i = 0; i < 2; i++) {
		section_init(&sec, 3, a64_abis[i], SORTED);
		section_flex(&sec, 0x402000, 64, INC, 0);
		section_row(&sec, 0, FP | W2, CTL_REG(31), 16);
		section_row(&sec, 4, FP | W2, CTL_REG_AT(29), -16, 0,
			    CTL_REG_AT(29), 0);
		section_row(&sec, 8, FP | W2 | MANGLED, CTL_REG(6), 0,
			    CTL_REG(7), 0, CTL_REG_AT(30), 8);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, a64(at_sp(16), 0, 0)));
		wanted = a64(mem(at_fp(-16)), 0, 0);
		wanted.fp = mem(at_fp(0));
		CHECK(is_rule(&sec, 0x402004, wanted));
		wanted = with(a64(at_reg(6, 0), 0, 0), LW_RULE_PAC);
		wanted.ra = at_reg(7, 0);
		wanted.fp = mem(at_reg(30, 8));
		CHECK(is_rule(&sec, 0x402008, wanted));
		section_free(&sec);
	}
}

/* ---- s390x ---- */

TEST(s390x_scales_and_biases_the_cfa)
{
	EACH_FORM_WITH(begin(&sec, form, LW_SFRAME_ABI_S390X)) {
		section_row(&sec, 0, SP, 0);
		section_row(&sec, 4, SP, 20);
		section_row(&sec, 8, SP, 127);
		section_row(&sec, 12, FP, -128);
		section_row(&sec, 16, SP | W2, 0x7fff);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, s390(at_sp(160), 0, 0)));
		CHECK(is_rule(&sec, 0x402004, s390(at_sp(320), 0, 0)));
		CHECK(is_rule(&sec, 0x402008, s390(at_sp(127 * 8 + 160), 0,
						   0)));
		CHECK(is_rule(&sec, 0x40200c, s390(at_fp(-128 * 8 + 160), 0,
						   0)));
		CHECK(is_rule(&sec, 0x402010, s390(at_sp(0x7fff * 8 + 160), 0,
						   0)));
	}
}

TEST(s390x_cfas_out_of_range_are_refused)
{
	static const struct {
		__s32 word;
		int result;
	} of[] = {
		{ (0x7fffffff - 160) / 8, 0 },
		{ (0x7fffffff - 160) / 8 + 1, LW_SFRAME_BAD_OFFSET },
		{ -0x10000000 - 20, 0 },
		{ -0x10000000 - 21, LW_SFRAME_BAD_OFFSET },
		{ 0x7fffffff, LW_SFRAME_BAD_OFFSET },
		{ -0x7fffffff - 1, LW_SFRAME_BAD_OFFSET },
		/* the low 32 bits of the product are in range */
		{ 0x20000000, LW_SFRAME_BAD_OFFSET },
		{ -0x20000000, LW_SFRAME_BAD_OFFSET },
	};
	struct section sec;
	unsigned int i;
	__s32 cfa;

	EACH_FORM {
		for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
			begin(&sec, form, LW_SFRAME_ABI_S390X);
			section_row(&sec, 0, SP | W4, of[i].word);
			section_row(&sec, 8, SP, 0);
			section_finish(&sec);
			cfa = (__s32)(of[i].word * 8LL + 160);
			if (of[i].result)
				CHECK_EQ(result(&sec, 0x402000), of[i].result);
			else
				CHECK(is_rule(&sec, 0x402000,
					      s390(at_sp(cfa), 0, 0)));
			/* of no matter to others */
			CHECK_EQ(result(&sec, 0x402008), 0);
			section_free(&sec);
		}
	}
}

TEST(s390x_tracks_ra_and_fp_in_its_rows)
{
	EACH_FORM_WITH(begin(&sec, form, LW_SFRAME_ABI_S390X)) {
		section_row(&sec, 0, SP, 0);
		section_row(&sec, 4, SP, 0, -48);
		section_row(&sec, 8, SP, 0, -48, -72);
		/* 0: RA is not saved, a place-holder for FP to follow */
		section_row(&sec, 12, SP, 0, 0, -72);
		section_row(&sec, 16, FP | W2, 20, 0);
		section_row(&sec, 20, SP);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, s390(at_sp(160), 0, 0)));
		CHECK(is_rule(&sec, 0x402004, s390(at_sp(160), -48, 0)));
		CHECK(is_rule(&sec, 0x402008, s390(at_sp(160), -48, -72)));
		CHECK(is_rule(&sec, 0x40200c, s390(at_sp(160), 0, -72)));
		CHECK(is_rule(&sec, 0x402010, s390(at_fp(320), 0, 0)));
		CHECK(is_outermost(&sec, 0x402014));
	}
}

TEST(s390x_reads_what_gas_wrote)
{
	/* @6, CFA SP+160, RA CFA-48, FP CFA-72 */
	static const __u8 row[] = { 0x06, 0x07, 0x00, 0xd0, 0xb8 };

	EACH_FORM_WITH(begin(&sec, form, LW_SFRAME_ABI_S390X)) {
		section_row(&sec, 0, SP, 0, 0, 0);
		section_finish(&sec);
		memcpy(sec.bytes + section_fre_pos(&sec, 1), row, sizeof(row));
		CHECK(is_rule(&sec, 0x402006, s390(at_sp(160), -48, -72)));
	}
}

/* An odd word is a register's number, times 2 and 1: version 2 only. */
TEST(s390x_registers_are_odd_words_in_version_2)
{
	static const __u8 sizes[] = { W1, W2, W4 };
	struct lw_rule wanted;
	struct section sec;
	int i;

	EACH_FORM {
		for (i = 0; i < 3; i++) {
			begin(&sec, form, LW_SFRAME_ABI_S390X);
			section_row(&sec, 0, SP | sizes[i], 0, 2 * 16 + 1,
				    2 * 17 + 1);
			section_row(&sec, 4, SP | sizes[i], 0, -48, 2 * 1 + 1);
			section_row(&sec, 8, SP | sizes[i], 0, 2 * 5 + 1);
			section_row(&sec, 12, SP | sizes[i], 0, 0, 1);
			section_finish(&sec);
			wanted = s390(at_sp(160), 33, 35);
			if (form->version == 2) {
				wanted.ra = at_reg(16, 0);
				wanted.fp = at_reg(17, 0);
			}
			CHECK(is_rule(&sec, 0x402000, wanted));
			wanted = s390(at_sp(160), -48, 3);
			if (form->version == 2)
				wanted.fp = at_reg(1, 0);
			CHECK(is_rule(&sec, 0x402004, wanted));
			wanted = s390(at_sp(160), 11, 0);
			if (form->version == 2)
				wanted.ra = at_reg(5, 0);
			CHECK(is_rule(&sec, 0x402008, wanted));
			wanted = s390(at_sp(160), 0, 1);
			if (form->version == 2)
				wanted.fp = at_reg(0, 0);
			CHECK(is_rule(&sec, 0x40200c, wanted));
			section_free(&sec);
		}
	}
}

TEST(s390x_knows_its_own_sp_and_fp_among_registers)
{
	struct lw_rule wanted = s390(at_sp(160), -48, 0);
	struct section sec;

	section_init(&sec, 2, LW_SFRAME_ABI_S390X, SORTED);
	section_fde(&sec, 0x402000, 64, INC, 0);
	section_row(&sec, 0, SP, 0, -48, 2 * 11 + 1);
	section_row(&sec, 4, SP, 0, -48, 2 * 15 + 1);
	section_row(&sec, 8, SP, 0, 2 * 14 + 1);
	section_row(&sec, 12, SP, 0, 2 * 11 + 1, -72);
	section_finish(&sec);
	wanted.fp = at_fp(0);
	CHECK(is_rule(&sec, 0x402000, wanted));
	wanted.fp = at_sp(0);
	CHECK(is_rule(&sec, 0x402004, wanted));
	CHECK(is_rule(&sec, 0x402008, s390(at_sp(160), 0, 0)));
	wanted = s390(at_sp(160), 0, -72);
	wanted.ra = at_fp(0);
	CHECK(is_rule(&sec, 0x40200c, wanted));
	section_free(&sec);
}

TEST(s390x_has_no_ra_in_its_stack_pointer)
{
	struct section sec;

	section_init(&sec, 2, LW_SFRAME_ABI_S390X, SORTED);
	section_fde(&sec, 0x402000, 64, INC, 0);
	section_row(&sec, 0, SP, 0, 2 * 15 + 1);
	section_row(&sec, 4, SP, 0, 2 * 15 + 1, -72);
	section_row(&sec, 8, SP, 0, 2 * 13 + 1, -72);
	section_finish(&sec);
	CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_BAD_REGISTER);
	CHECK_EQ(result(&sec, 0x402004), LW_SFRAME_BAD_REGISTER);
	CHECK_EQ(result(&sec, 0x402008), 0);
	section_free(&sec);
}

TEST(s390x_registers_that_it_has_not_are_refused)
{
	static const __s32 bad[] = { 32, 33, 127, 16000, -1, -2, -50 };
	struct section sec;
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		section_init(&sec, 2, LW_SFRAME_ABI_S390X, SORTED);
		section_fde(&sec, 0x402000, 64, INC, 0);
		section_row(&sec, 0, SP | W2, 0, 2 * bad[i] + 1);
		section_row(&sec, 4, SP | W2, 0, -48, 2 * bad[i] + 1);
		section_row(&sec, 8, SP | W2, 0, 2 * 31 + 1);
		section_finish(&sec);
		CHECK_EQ(result(&sec, 0x402000), LW_SFRAME_BAD_REGISTER);
		CHECK_EQ(result(&sec, 0x402004), LW_SFRAME_BAD_REGISTER);
		CHECK_EQ(result(&sec, 0x402008), 0);
		section_free(&sec);
	}
}

TEST(odd_words_are_slots_to_other_abis)
{
	struct section sec;

	EACH_FORM {
		begin(&sec, form, LW_SFRAME_ABI_AMD64);
		section_row(&sec, 0, SP, 17, -15);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, amd64(at_sp(17), -15)));
		section_free(&sec);
		begin(&sec, form, LW_SFRAME_ABI_AARCH64_BE);
		section_row(&sec, 0, SP, 17, 11, 13);
		section_finish(&sec);
		CHECK(is_rule(&sec, 0x402000, a64(at_sp(17), 11, 13)));
		section_free(&sec);
	}
}

TEST(s390x_flex_biases_the_cfa_and_has_its_numbers)
{
	struct lw_rule wanted;
	struct section sec;

	section_init(&sec, 3, LW_SFRAME_ABI_S390X, SORTED);
	section_flex(&sec, 0x402000, 64, INC, 0);
	/* in the bytes that gas 2.47 writes */
	section_row(&sec, 0, FP, 0x79, 0x00);
	section_row(&sec, 4, FP | W2, CTL_REG(11), 20, CTL_REG(16), 0,
		    CTL_REG(17), 0);
	section_row(&sec, 8, FP | W2, CTL_REG_AT(15), -20, CTL_CFA_AT, -48,
		    CTL_REG_AT(11), 8);
	section_row(&sec, 12, FP | W4, CTL_REG(15), 0x10000000);
	section_row(&sec, 16, FP | W2, CTL_REG(15), 0, CTL_REG(15), 0);
	section_finish(&sec);
	CHECK(is_rule(&sec, 0x402000, s390(at_sp(160), 0, 0)));
	wanted = s390(at_fp(320), 0, 0);
	wanted.ra = at_reg(16, 0);
	wanted.fp = at_reg(17, 0);
	CHECK(is_rule(&sec, 0x402004, wanted));
	wanted = s390(mem(at_sp(0)), -48, 0);
	wanted.fp = mem(at_fp(8));
	CHECK(is_rule(&sec, 0x402008, wanted));
	CHECK_EQ(result(&sec, 0x40200c), LW_SFRAME_BAD_OFFSET);
	CHECK_EQ(result(&sec, 0x402010), LW_SFRAME_BAD_FLEX);
	section_free(&sec);
}

int main(void)
{
	return tap_main();
}
