// SPDX-License-Identifier: GPL-2.0
/*
 * vma_build_id_test.c - build IDs that LW_IOC_VMA_QUERY reads, of files that nobody's linker has
 * written.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/lw_test.h"
#include "lib/small_elf.h"
#include "lib/vmas_device.h"

#define PAGE		lwt_page()

/* Return: bytes of its build ID, as PROCMAP_QUERY says too where there is one, or -errno. */
static int id_of(FIXTURE_DATA(device) *self, const void *bytes, size_t size)
{
	struct vma *other = malloc(sizeof(*other));
	int fd = vmas_make_file("/dev/shm/vma_query_elf", bytes, size), ret, maps;
	uint64_t at = vmas_map(fd, MAP_PRIVATE, 0);

	ret = vmas_ask(self->fd, 0, at, 0, &self->vma);
	if (!ret && vmas_has_procmap()) {
		maps = vmas_open(getpid());
		ret = vmas_ask_procmap(maps, at, 0, other);
		close(maps);
		if (!ret && other->build_id_size != self->vma.build_id_size)
			ret = -EPROTO;
	}
	munmap((void *)at, PAGE);
	close(fd);
	free(other);
	return ret ?: self->vma.build_id_size;
}

#define EXPECT_ID(size_, self, elf)						\
do {										\
	EXPECT_EQ(size_, id_of(self, &(elf), sizeof(elf)));			\
	EXPECT_EQ(0, memcmp(ELF_ID, (self)->vma.build_id, size_));			\
} while (0)

TEST_F(device, reads_build_ids_of_both_classes)
{
	struct elf64 wide = SMALL_ELF(elf64, ELFCLASS64);
	struct elf32 narrow = SMALL_ELF(elf32, ELFCLASS32);

	EXPECT_ID(20, self, wide);
	EXPECT_ID(20, self, narrow);
	wide.note[1].head.n_descsz = 1;
	EXPECT_ID(1, self, wide);
	wide.head.e_type = ET_EXEC;
	EXPECT_ID(1, self, wide);
	/* Far behind what is read first. */
	wide.phdr[1].p_offset = 2 * PAGE + 100;
	EXPECT_ID(0, self, wide);
}

TEST_F(device, reads_no_build_ids_that_are_none)
{
	const struct elf64 good = SMALL_ELF(elf64, ELFCLASS64);
	struct elf64 bad;

	bad = good;
	bad.note[1].head.n_descsz = 21;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.note[1].head.n_descsz = 0;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.note[1].head.n_type = 2;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.note[1].name[2] = 'V';
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.head.e_type = ET_CORE;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.head.e_ident[EI_CLASS] = 3;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.head.e_ident[0] = 0;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.head.e_phnum = 1;
	EXPECT_ID(0, self, bad);
	bad = good;
	bad.phdr[1].p_filesz = sizeof(struct note) + 20;
	EXPECT_ID(0, self, bad);
}

/*
 * Behind what is read at first, and with its header, its name, its bytes across the end
 * of that.
 */
TEST_F(device, reads_build_ids_wherever_they_are)
{
	const unsigned int places[] = { 2048 - 58, 2048 - 66, 2048 - 78, 2 * PAGE + 100 };
	static uint8_t file[3 * LWT_PAGE_MAX];
	struct elf64 elf = SMALL_ELF(elf64, ELFCLASS64);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		memset(file, 0, sizeof(file));
		elf.phdr[1].p_offset = places[i];
		memcpy(file, &elf, offsetof(struct elf64, note));
		memcpy(file + places[i], elf.note, sizeof(elf.note));
		EXPECT_ID(20, self, file);
	}
}

/* Whatever they say, there is an answer; what bounds it is MAX_NOTES of the next test. */
TEST_F(device, survives_files_that_lie)
{
	const uint64_t odd[] = {
		1, 0x7fffffff, 0xffffffff, 0xfffffffc, 0x7fffffffffffffff, 0x7ffffffffffff800,
		0xfffffffffffffff0, 3 * PAGE - 1, 3 * PAGE, 3 * PAGE - 16,
	};
	const struct elf64 good = SMALL_ELF(elf64, ELFCLASS64);
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		for (j = 0; j < 6; j++) {
			struct elf64 bad = good;
			int fd;
			uint64_t at;

			*(j == 0 ? &bad.head.e_phoff : j == 1 ? &bad.phdr[1].p_offset :
			  &bad.phdr[1].p_filesz) = odd[i];
			if (j == 3)
				bad.note[0].head.n_namesz = odd[i];
			if (j == 4)
				bad.note[0].head.n_descsz = odd[i];
			if (j == 5)
				bad.head.e_phnum = odd[i];
			fd = vmas_make_file("/dev/shm/vma_query_elf", &bad, sizeof(bad));
			at = vmas_map(fd, MAP_PRIVATE, 0);
			EXPECT_EQ(0, vmas_ask(self->fd, 0, at, 0, &self->vma));
			munmap((void *)at, PAGE);
			close(fd);
		}
	}
}

/* So many notes are looked at, of all segments of a file. */
#define MAX_NOTES	1024

/* Return: size of the build ID that is found behind that many empty notes, in front of zeros. */
static unsigned int id_behind(FIXTURE_DATA(device) *self, struct elf64 *elf, unsigned int nr)
{
	int fd = vmas_make_file("/dev/shm/vma_query_elf", elf, sizeof(*elf));
	off_t at = PAGE + nr * sizeof(elf->note[0].head);
	unsigned int size = ~0U;
	uint64_t map;

	if (fd < 0)
		return size;
	if (pwrite(fd, &elf->note[1], sizeof(elf->note[1]), at) == sizeof(elf->note[1]) &&
	    !ftruncate(fd, 1L << 32)) {
		map = vmas_map(fd, MAP_PRIVATE, 0);
		if (!vmas_ask(self->fd, 0, map, 0, &self->vma))
			size = self->vma.build_id_size;
		munmap((void *)map, PAGE);
	}
	close(fd);
	unlink("/dev/shm/vma_query_elf");
	return size;
}

/*
 * A gigabyte of notes, most of them empty: the module gives up, which is seen by the ID
 * that it does not get to.
 */
TEST_F(device, gives_up_on_endless_notes)
{
	struct elf64 endless = SMALL_ELF(elf64, ELFCLASS64);

	endless.phdr[1].p_offset = PAGE;
	endless.phdr[1].p_filesz = 0xffff0000;
	EXPECT_EQ(20, id_behind(self, &endless, 0));
	EXPECT_EQ(20, id_behind(self, &endless, MAX_NOTES - 1));
	EXPECT_EQ(0, id_behind(self, &endless, MAX_NOTES));
	EXPECT_EQ(0, id_behind(self, &endless, 10 * MAX_NOTES));
	/* Those of another segment count too, and come first. */
	endless.phdr[0] = endless.phdr[1];
	endless.phdr[0].p_offset = 2 * PAGE;
	endless.phdr[0].p_filesz = (MAX_NOTES - 1) * sizeof(endless.note[0].head) + 16;
	EXPECT_EQ(20, id_behind(self, &endless, 0));
	EXPECT_EQ(0, id_behind(self, &endless, 1));
}

TEST_HARNESS_MAIN
