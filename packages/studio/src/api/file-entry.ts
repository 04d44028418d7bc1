export interface FileEntry {
  readonly id: number
  readonly documentId: string
  readonly name: string
  readonly url: string
  readonly mime: string
  readonly ext?: string | null
  readonly size?: number | null
  readonly width?: number | null
  readonly height?: number | null
  readonly alternativeText?: string | null
  readonly caption?: string | null
  /** In responses about files only. Files of an entry have the texts in its locale. */
  readonly translations?: Readonly<Record<string, TranslatedTexts>>
  readonly formats?: Readonly<Record<string, { readonly url: string }>> | null
  readonly updatedAt?: string | null
}

export interface TranslatedTexts {
  readonly alternativeText?: string
  readonly caption?: string
}

/** Without controls of the direction of the text, which disguise the extension. Earlier servers stored them. */
export function shownFileName({ name }: Pick<FileEntry, 'name'>): string {
  return name.replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '')
}

/** The file as an entry in the locale shows it. */
export function inLocale<Shown extends FileEntry>(
  { translations, ...own }: Shown,
  locale: string | null,
): Omit<Shown, 'translations'> {
  return { ...own, ...(locale !== null && translations?.[locale]) }
}
