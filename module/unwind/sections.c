// SPDX-License-Identifier: GPL-2.0
/*
 * sections.c - the SFrame section of a mapped file.
 *
 * Without help of libc: the mapped file says, in its program headers
 * (PT_GNU_SFRAME), where the section is.  All is read from the task's memory
 * and nothing from the file itself: reading a file can ask a fanotify listener
 * for leave, which may be the very task that we hold up.
 *
 * A change meanwhile gives a wrong or a short stack, no more, as everything read is
 * checked again by whoever uses it; mappings.c has how long it is believed.
 */
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>

#include "arch/arch.h"
#include "sections.h"
#include "unwind.h"

/* binutils include/elf/common.h */
#define PT_GNU_SFRAME	0x6474e554

/* Program headers looked at; ld writes 10 to 15. */
#define MAX_PHDRS	64
/*
 * Linkers put the file's start before the text, in the same distance as in the
 * file (GNU ld) or some pages further (lld: one per segment).
 */
#define MAX_GAP_PAGES	4

/* What a mapping may be used for; others change without a word. */
#define SEEN_FLAGS	(VM_READ | VM_WRITE | VM_EXEC | VM_SHARED)

/* What the program headers say of a mapping's file. */
struct layout {
	bool	has_text;
	bool	has_sframe;
	u64	bias;		/* mapped address - p_vaddr */
	u64	text_start;
	u64	text_end;
	u64	sframe_vaddr;
	u64	sframe_size;
};

/**
 * lw_see - take down what a mapping is
 * @seen: out
 * @vma: of current
 *
 * Context: mmap_lock is held.
 */
void lw_see(struct lw_seen *seen, const struct vm_area_struct *vma)
{
	seen->start = vma->vm_start;
	seen->end = vma->vm_end;
	seen->flags = vma->vm_flags & SEEN_FLAGS;
	seen->offset = 0;
	seen->has_file = lw_file_id_of_vma(vma, &seen->id, &seen->offset);
	seen->own_pages = vma->anon_vma;
}

/**
 * lw_is_as_seen - is there a mapping of the same
 * @seen: of lw_see()
 * @mm: of current
 *
 * Context: mmap_lock is held.
 * Return: true if so: of the same place in the same file.
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
	       now.own_pages == seen->own_pages &&
	       (!now.has_file || lw_file_id_same(&now.id, &seen->id));
}

static bool sections_maps_start_of(struct vm_area_struct *vma, u64 addr,
				   const struct file *file)
{
	return vma && vma->vm_start == addr && !vma->vm_pgoff &&
	       vma->vm_file && file_inode(vma->vm_file) == file_inode(file) &&
	       (vma->vm_flags & VM_READ);
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
	unsigned int gap;
	u64 addr;

	for (gap = 0; gap < MAX_GAP_PAGES; gap++) {
		addr = text->vm_start - offset - gap * PAGE_SIZE;
		/* Nothing is below address 0. */
		if (addr > text->vm_start)
			return 0;
		if (sections_maps_start_of(find_vma(mm, addr), addr, text->vm_file))
			return addr;
	}
	return 0;
}

/**
 * lw_lock_mm - mmap_lock of current, for reading
 * @mm: of current
 *
 * Context: as lw_unwind().
 * Return: 0, or that it can't be had: killed, or exiting and not free now.
 */
int lw_lock_mm(struct mm_struct *mm)
{
	if (current->flags & PF_EXITING)
		return !mmap_read_trylock(mm);
	return mmap_read_lock_killable(mm);
}

static bool sections_is_readable(const struct elf64_hdr *ehdr)
{
	return !memcmp(ehdr->e_ident, ELFMAG, SELFMAG) &&
	       ehdr->e_ident[EI_CLASS] == ELFCLASS64 &&
	       ehdr->e_ident[EI_DATA] == ELF_DATA &&
	       ehdr->e_machine == LW_ARCH_ELF_MACHINE &&
	       ehdr->e_phentsize == sizeof(struct elf64_phdr) &&
	       ehdr->e_phnum <= MAX_PHDRS;
}

/* The segment that this mapping is made from gives the bias. */
static void sections_note_load(struct layout *layout, const struct elf64_phdr *phdr,
			       const struct lw_seen *code)
{
	u64 end;

	if (layout->has_text || !(phdr->p_flags & PF_X) ||
	    check_add_overflow(phdr->p_offset, phdr->p_filesz, &end) ||
	    code->offset >= end ||
	    code->offset < round_down(phdr->p_offset, PAGE_SIZE))
		return;
	layout->bias = code->start - code->offset + phdr->p_offset -
		       phdr->p_vaddr;
	layout->text_start = layout->bias + phdr->p_vaddr;
	layout->text_end = layout->text_start + phdr->p_memsz;
	layout->has_text = layout->text_end > layout->text_start;
}

static void sections_note_phdr(struct layout *layout, const struct elf64_phdr *phdr,
			       const struct lw_seen *code)
{
	if (phdr->p_type == PT_LOAD) {
		sections_note_load(layout, phdr, code);
	} else if (phdr->p_type == PT_GNU_SFRAME) {
		layout->has_sframe = true;
		layout->sframe_vaddr = phdr->p_vaddr;
		layout->sframe_size = phdr->p_filesz;
	}
}

/* Return: 0, -EFAULT, or -ENOENT if there is nothing for us. */
static int sections_read_layout(const struct lw_seen *code, u64 headers, struct elf64_phdr *phdrs,
				struct layout *layout)
{
	unsigned int done, nr, i;
	struct elf64_hdr ehdr;

	if (lw_unwind_read(&ehdr, headers, sizeof(ehdr)))
		return -EFAULT;
	if (!sections_is_readable(&ehdr))
		return -ENOENT;
	for (done = 0; done < ehdr.e_phnum; done += nr) {
		nr = min_t(unsigned int, ehdr.e_phnum - done, LW_PHDRS_AT_ONCE);
		if (lw_unwind_read(phdrs, headers + ehdr.e_phoff +
				   done * sizeof(*phdrs), nr * sizeof(*phdrs)))
			return -EFAULT;
		for (i = 0; i < nr; i++)
			sections_note_phdr(layout, &phdrs[i], code);
	}
	return layout->has_text && layout->has_sframe ? 0 : -ENOENT;
}

/**
 * lw_program_entry - where the program of current began
 *
 * Not of any file: the e_entry of a library may be a mere function.
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

	return lw_unwind_read(dst, section->addr + off, len);
}

/*
 * The section is what lies in one readable mapping of the same file that the task
 * can't write to.  The header's size may be larger than the section.
 *
 * Return: as lw_section_open().
 */
static int sections_see(const struct lw_seen *code, u64 addr, u64 size,
			struct lw_section_of_file *section)
{
	struct mm_struct *mm = current->mm;
	struct lw_seen *seen = &section->seen;
	struct vm_area_struct *vma;
	int ret = -ENXIO;

	if (lw_lock_mm(mm))
		return -EINTR;
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr) {
		lw_see(seen, vma);
		if (seen->has_file && lw_file_id_same(&seen->id, &code->id) &&
		    (seen->flags & (VM_READ | VM_WRITE)) == VM_READ)
			ret = 0;
	}
	mmap_read_unlock(mm);
	section->addr = addr;
	section->src = (struct lw_sframe_source) { .read = sections_read };
	if (!ret)
		section->src.size = min(size, seen->end - addr);
	return ret ?: section->src.size ? 0 : -EBADMSG;
}

/**
 * lw_section_open - the section of a file
 * @code: a mapping of it
 * @headers: what lw_section_headers() returned for that; not 0
 * @phdrs: LW_PHDRS_AT_ONCE of them, scratch
 * @section: out; must live as long as @sframe
 * @sframe: out: the section, opened
 *
 * Context: as lw_unwind(); without locks.
 * Return: 0; -ENOENT: the file has none; -EBADMSG: it has none that is of use; -ENXIO: it
 * is not mapped so that it could be used; -EFAULT or -EINTR: that could not be seen.
 */
int lw_section_open(const struct lw_seen *code, u64 headers, struct elf64_phdr *phdrs,
		    struct lw_section_of_file *section, struct lw_sframe *sframe)
{
	struct lw_sframe_place place;
	struct layout layout = {};
	int ret;

	ret = sections_read_layout(code, headers, phdrs, &layout);
	if (ret)
		return ret;
	place = (struct lw_sframe_place) {
		.addr = layout.bias + layout.sframe_vaddr,
		.text_start = layout.text_start,
		.text_end = layout.text_end,
		.entry = lw_program_entry(),
	};
	ret = sections_see(code, place.addr, layout.sframe_size, section);
	if (ret)
		return ret;
	ret = lw_sframe_open(sframe, &section->src, &place, LW_ARCH_SFRAME_ABI);
	if (ret < 0)
		return ret;
	return ret == LW_SFRAME_OK ? 0 : -EBADMSG;
}
