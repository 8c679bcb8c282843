// SPDX-License-Identifier: GPL-2.0
/*
 * sections.c - the SFrame section of a mapped file, and what was seen of mappings.
 *
 * The program headers of the mapped file (PT_GNU_SFRAME) say where the section is; libc is not
 * asked.  All is read from the memory of current, and nothing by the file: a read of a file may
 * ask a fanotify listener, and the listener may be current.
 *
 * If memory changes during a look, the stack is wrong or short, and nothing worse: all users of
 * what is read here check it.  mappings.c has how long a look is used.
 */
#include <linux/auxvec.h>
#include <linux/delay.h>
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "arch.h"
#include "compat/fs.h"
#include "mappings.h"
#include "sections.h"
#include "unwind.h"

/* binutils include/elf/common.h */
#define PT_GNU_SFRAME	0x6474e554

/* Most program headers of a file; ld writes 10 to 15. */
#define MAX_PHDRS	64
/*
 * The file's first page is mapped before the text, at the same distance as in the file (GNU ld)
 * or some pages further (lld: one page for each segment).
 */
#define MAX_GAP_PAGES	4

/* Most holders of mmap_lock have it for microseconds.  Half a millisecond is a long wait. */
#define LOCK_PAUSES	10U
#define LOCK_PAUSE_US	50UL

/* Other flags may change without a change of the mapping's content. */
#define SEEN_FLAGS	(VM_READ | VM_WRITE | VM_EXEC | VM_SHARED)

/* What program headers say. */
struct layout {
	u64	bias;		/* mapped address - p_vaddr */
	u64	text_start;
	u64	text_end;	/* 0: @code's segment was not found */
	u64	sframe_vaddr;
	u64	sframe_size;	/* 0: no section */
};

/**
 * lw_see - note all that identifies a mapping and its content
 * @seen: out
 * @vma: of current
 *
 * Context: mmap_lock is held.
 */
void lw_see(struct lw_seen *seen, const struct vm_area_struct *vma)
{
	*seen = (struct lw_seen) {
		.start = vma->vm_start,
		.end = vma->vm_end,
		.flags = vma->vm_flags & SEEN_FLAGS,
		.own_pages = vma->anon_vma,
	};
	seen->has_file = lw_file_id_of_vma(vma, &seen->id, &seen->offset);
	if (vma->vm_file)
		seen->ctime = lw_compat_ctime(file_inode(vma->vm_file));
}

/**
 * lw_is_as_seen - is a mapping still there, and the same
 * @seen: of lw_see()
 * @mm: of current
 *
 * Context: mmap_lock is held.
 * Return: true if so.
 */
bool lw_is_as_seen(const struct lw_seen *seen, struct mm_struct *mm)
{
	struct vm_area_struct *vma = find_vma(mm, seen->start);
	struct lw_seen now;

	if (!vma)
		return false;
	lw_see(&now, vma);
	return now.start == seen->start && now.end == seen->end && now.offset == seen->offset &&
	       now.flags == seen->flags && now.has_file == seen->has_file &&
	       now.own_pages == seen->own_pages && lw_file_id_same(&now.id, &seen->id) &&
	       timespec64_equal(&now.ctime, &seen->ctime);
}

/**
 * lw_section_headers - where a file's first byte is mapped
 * @mm: of current
 * @text: mapping of the file's code
 *
 * Context: mmap_lock is held.
 * Return: address, or 0.
 */
u64 lw_section_headers(struct mm_struct *mm, const struct vm_area_struct *text)
{
	u64 offset = (u64)text->vm_pgoff << PAGE_SHIFT;
	const struct vm_area_struct *vma;
	unsigned int gap;
	u64 addr;

	for (gap = 0; text->vm_file && gap < MAX_GAP_PAGES; gap++) {
		addr = text->vm_start - offset - gap * PAGE_SIZE;
		/* The subtraction wrapped. */
		if (addr > text->vm_start)
			return 0;
		vma = find_vma(mm, addr);
		if (vma && vma->vm_start == addr && !vma->vm_pgoff && vma->vm_file &&
		    file_inode(vma->vm_file) == file_inode(text->vm_file) &&
		    vma->vm_flags & VM_READ)
			return addr;
	}
	return 0;
}

/**
 * lw_lock_mm - take mmap_lock of current for reading
 * @mappings: of the walk, which are let go before a long wait
 * @mm: of current
 *
 * An exiting task does not wait for the lock.
 *
 * Context: as lw_unwind().
 * Return: 0; not 0: killed, or exiting and somebody else has the lock.
 */
int lw_lock_mm(struct lw_mappings *mappings, struct mm_struct *mm)
{
	unsigned int i;

	if (mmap_read_trylock(mm))
		return 0;
	if (current->flags & PF_EXITING)
		return -EAGAIN;
	for (i = 0; i < LOCK_PAUSES; i++) {
		usleep_range(LOCK_PAUSE_US / 2, LOCK_PAUSE_US);
		if (mmap_read_trylock(mm))
			return 0;
	}
	lw_mappings_let_go(mappings);
	return mmap_read_lock_killable(mm);
}

static bool sections_is_known_elf(const struct elf64_hdr *ehdr)
{
	return !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
	       ehdr->e_ident[EI_CLASS] == ELFCLASS64 &&
	       ehdr->e_ident[EI_DATA] == ELF_DATA &&
	       ehdr->e_machine == LW_ARCH_ELF_MACHINE &&
	       ehdr->e_phentsize == sizeof(struct elf64_phdr) &&
	       ehdr->e_phnum <= MAX_PHDRS;
}

/* The segment from which @code is mapped gives the bias. */
static void sections_note_load(struct layout *layout, const struct elf64_phdr *phdr,
			       const struct lw_seen *code)
{
	u64 end;

	if (layout->text_end || !(phdr->p_flags & PF_X) ||
	    check_add_overflow(phdr->p_offset, phdr->p_filesz, &end) ||
	    code->offset >= end ||
	    code->offset < round_down(phdr->p_offset, PAGE_SIZE))
		return;
	layout->bias = code->start - code->offset + phdr->p_offset -
		       phdr->p_vaddr;
	layout->text_start = layout->bias + phdr->p_vaddr;
	layout->text_end = layout->text_start + phdr->p_memsz;
}

static void sections_note_phdr(struct layout *layout, const struct elf64_phdr *phdr,
			       const struct lw_seen *code)
{
	if (phdr->p_type == PT_LOAD) {
		sections_note_load(layout, phdr, code);
	} else if (phdr->p_type == PT_GNU_SFRAME) {
		layout->sframe_vaddr = phdr->p_vaddr;
		layout->sframe_size = phdr->p_filesz;
	}
}

/* Return: 0, -EFAULT, or -ENOENT: no text for @code, or no section. */
static int sections_read_layout(struct lw_mappings *mappings, const struct lw_seen *code,
				u64 headers, struct layout *layout)
{
	struct elf64_phdr *phdrs = mappings->phdrs;
	unsigned int done, nr, i;
	struct elf64_hdr ehdr;

	if (lw_unwind_read(mappings, &ehdr, headers, sizeof(ehdr)))
		return -EFAULT;
	if (!sections_is_known_elf(&ehdr))
		return -ENOENT;
	for (done = 0; done < ehdr.e_phnum; done += nr) {
		nr = min_t(unsigned int, ehdr.e_phnum - done, LW_PHDRS_AT_ONCE);
		if (lw_unwind_read(mappings, phdrs, headers + ehdr.e_phoff + done * sizeof(*phdrs),
				   nr * sizeof(*phdrs)))
			return -EFAULT;
		for (i = 0; i < nr; i++)
			sections_note_phdr(layout, &phdrs[i], code);
	}
	return layout->text_end > layout->text_start && layout->sframe_size ? 0 : -ENOENT;
}

/**
 * lw_program_entry - the entry point of the program of current
 *
 * Files' own e_entry is no use: that of a library may be a mere function.
 *
 * Context: as lw_unwind().
 * Return: address, or 0.
 */
u64 lw_program_entry(void)
{
	const unsigned long *auxv = current->mm->saved_auxv;
	unsigned int i;

	for (i = 0; i + 1 < AT_VECTOR_SIZE && READ_ONCE(auxv[i]) != AT_NULL;
	     i += 2)
		if (READ_ONCE(auxv[i]) == AT_ENTRY)
			return READ_ONCE(auxv[i + 1]);
	return 0;
}

static int sections_read(const struct lw_sframe_source *src, void *dst, u64 off,
			 u32 len)
{
	const struct lw_section_of_file *section =
		container_of(src, struct lw_section_of_file, src);

	return lw_unwind_read(section->mappings, dst, section->addr + off, len);
}

/*
 * Notes the section's mapping: one of the same file, readable and not writable.  The section
 * ends with the mapping, even if the program header says more.
 *
 * Return: as lw_section_open().
 */
static int sections_see(struct lw_mappings *mappings, const struct lw_seen *code, u64 addr,
			u64 size, struct lw_section_of_file *section)
{
	struct mm_struct *mm = current->mm;
	struct lw_seen *seen = &section->seen;
	struct vm_area_struct *vma;
	int ret = -ENXIO;

	if (lw_lock_mm(mappings, mm))
		return -EINTR;
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr) {
		lw_see(seen, vma);
		if (seen->has_file && lw_file_id_same(&seen->id, &code->id) &&
		    (seen->flags & (VM_READ | VM_WRITE)) == VM_READ)
			ret = 0;
	}
	mmap_read_unlock(mm);
	section->mappings = mappings;
	section->addr = addr;
	section->src = (struct lw_sframe_source) { .read = sections_read };
	if (!ret)
		section->src.size = min(size, seen->end - addr);
	return ret ?: section->src.size ? 0 : -EBADMSG;
}

/**
 * lw_section_open - find and open the section of a file
 * @mappings: of the walk
 * @code: a mapping of the file's code
 * @headers: of lw_section_headers(), not 0
 * @section: out; must live as long as @sframe
 * @sframe: out
 *
 * Context: as lw_unwind(), without locks.
 * Return: 0; -ENOENT: the file has no section; -EBADMSG: no valid one; -ENXIO: the section's
 * mapping is of another file, writable, or not there; -EFAULT or -EINTR: not known.
 */
int lw_section_open(struct lw_mappings *mappings, const struct lw_seen *code, u64 headers,
		    struct lw_section_of_file *section, struct lw_sframe *sframe)
{
	struct lw_sframe_place place;
	struct layout layout = {};
	int ret;

	ret = sections_read_layout(mappings, code, headers, &layout);
	if (ret)
		return ret;
	place = (struct lw_sframe_place) {
		.addr = layout.bias + layout.sframe_vaddr,
		.text_start = layout.text_start,
		.text_end = layout.text_end,
		.entry = lw_program_entry(),
	};
	ret = sections_see(mappings, code, place.addr, layout.sframe_size, section);
	if (ret)
		return ret;
	ret = lw_sframe_open(sframe, &section->src, &place, LW_ARCH_SFRAME_ABI);
	return ret > 0 ? -EBADMSG : ret;
}
