// SPDX-License-Identifier: GPL-2.0
/*
 * gen_hash.c - whether two files have the same tables.
 *
 * By SipHash-2-4 of all that they are made of, with a secret: who does not know it
 * can't make a file that is taken for another, however many are tried out.
 *
 * Contexts: any thread; no state outlives a call.
 */
#include <endian.h>
#include <string.h>

#include "sframe/gen_parts.h"

struct sip {
	u64 a, b, c, d;
};

static u64 rotate(u64 value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static void mix(struct sip *sip)
{
	sip->a += sip->b;
	sip->c += sip->d;
	sip->b = rotate(sip->b, 13) ^ sip->a;
	sip->d = rotate(sip->d, 16) ^ sip->c;
	sip->a = rotate(sip->a, 32);
	sip->c += sip->b;
	sip->a += sip->d;
	sip->b = rotate(sip->b, 17) ^ sip->c;
	sip->d = rotate(sip->d, 21) ^ sip->a;
	sip->c = rotate(sip->c, 32);
}

static void add_word(struct sip *sip, u64 word)
{
	sip->d ^= word;
	mix(sip);
	mix(sip);
	sip->a ^= word;
}

static struct sip begin(const u64 *secret)
{
	return (struct sip){
		.a = secret[0] ^ 0x736f6d6570736575ULL,
		.b = secret[1] ^ 0x646f72616e646f6dULL,
		.c = secret[0] ^ 0x6c7967656e657261ULL,
		.d = secret[1] ^ 0x7465646279746573ULL,
	};
}

static u64 end(struct sip *sip)
{
	sip->c ^= 0xff;
	for (int i = 0; i < 4; i++)
		mix(sip);
	return sip->a ^ sip->b ^ sip->c ^ sip->d;
}

static u64 last_word(const u8 *bytes, size_t size)
{
	u64 word = 0;

	memcpy(&word, bytes, size % 8);
	return le64toh(word) | (u64)size << 56;
}

/* Whole words, then what is left of them with the size, as SipHash has it. */
static void add_bytes(struct sip *sip, const void *bytes, size_t size)
{
	const u8 *at = bytes, *words_end = at + size / 8 * 8;
	struct sip state = *sip;
	u64 word;

	for (; at < words_end; at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		add_word(&state, le64toh(word));
	}
	add_word(&state, size % 8 ? last_word(at, size) : (u64)size << 56);
	*sip = state;
}

/* Its size is before it, so that no two sequences of parts are the same bytes. */
static void add_part(struct sip *sip, const void *bytes, size_t size)
{
	add_word(sip, size);
	add_bytes(sip, bytes, size);
}

static void add_go(struct sip *sip, const struct gen_go *go)
{
	add_word(sip, go->is_go | go->threads_of_c << 1 | go->is_library << 2);
	for (unsigned int i = 0; i < go->nr; i++) {
		add_word(sip, go->starts[i]);
		add_word(sip, (u64)go->kinds[i] << 32 | go->switches[i]);
	}
	add_word(sip, go->nr);
}

/**
 * lw_gen_input_hash - tell what was read from all else
 * @input: opened
 * @secret: two words that nobody else knows
 *
 * Return: a number that two have in common only if the same tables are made of them.
 */
u64 lw_gen_input_hash(const struct lw_gen_input *input, const u64 *secret)
{
	struct sip sip = begin(secret);

	add_part(&sip, &input->ehdr, sizeof(input->ehdr));
	add_part(&sip, input->phdrs, input->nr_phdrs * sizeof(*input->phdrs));
	add_part(&sip, input->shdrs, input->nr_shdrs * sizeof(*input->shdrs));
	add_part(&sip, input->names.at, input->names.size);
	add_part(&sip, input->eh_frame.at, input->eh_frame.size);
	add_word(&sip, input->eh_frame_addr);
	add_word(&sip, input->ends_at_zero);
	add_part(&sip, input->debug_frame.at, input->debug_frame.size);
	add_part(&sip, input->entry, input->entry_size);
	add_go(&sip, &input->go);
	return end(&sip);
}

/**
 * lw_gen_input_headers - tell files of one build ID apart
 * @input: opened
 *
 * Return: a hash of the headers of segments and sections, which is no secret.
 */
u64 lw_gen_input_headers(const struct lw_gen_input *input)
{
	static const u64 none[2];
	struct sip sip = begin(none);

	add_part(&sip, input->phdrs, input->nr_phdrs * sizeof(*input->phdrs));
	add_part(&sip, input->shdrs, input->nr_shdrs * sizeof(*input->shdrs));
	return end(&sip);
}
