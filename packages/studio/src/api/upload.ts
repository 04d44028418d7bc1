import { toError, unreachable } from './request.ts'

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

/** The file as an entry in the locale shows it. */
export function inLocale<Shown extends FileEntry>(
  { translations, ...own }: Shown,
  locale: string | null,
): Omit<Shown, 'translations'> {
  return { ...own, ...(locale !== null && translations?.[locale]) }
}

export interface Uploading {
  /** From 0 to 1. */
  readonly onProgress?: (share: number) => void
  readonly signal?: AbortSignal
  readonly folder?: string | null
  readonly isPrivate?: boolean
}

/**
 * Uses `XMLHttpRequest`, because `fetch` does not report upload progress.
 * @throws ApiError for an error response, or without a response
 */
export function uploadFile(file: File, uploading: Uploading = {}): Promise<FileEntry> {
  const { onProgress, signal, folder = null, isPrivate = false } = uploading
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest()
    sent.open('POST', '/admin/files')
    sent.setRequestHeader('Accept', 'application/json')
    sent.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded / total))
    sent.addEventListener('load', () => {
      const json = parse(sent.responseText)
      if (sent.status >= 200 && sent.status < 300) resolve(uploadedFileOf(json))
      else {
        const headers = new Headers({ 'Error-Code': sent.getResponseHeader('Error-Code') ?? '' })
        reject(
          toError(
            { status: sent.status, headers },
            (json ?? {}) as Readonly<Record<string, unknown>>,
          ),
        )
      }
    })
    sent.addEventListener('error', () => reject(unreachable()))
    sent.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
    signal?.addEventListener('abort', () => sent.abort())
    const form = new FormData()
    if (folder !== null) form.append('folder', folder)
    if (isPrivate) form.append('fileInfo', JSON.stringify({ private: true }))
    form.append('files', file, file.name)
    sent.send(form)
  })
}

/** The response is a list of files, within `data` or bare. */
function uploadedFileOf(json: unknown): FileEntry {
  const { data = json } = (json ?? {}) as { readonly data?: unknown }
  return (Array.isArray(data) ? data[0] : data) as FileEntry
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null // an HTML page of a proxy
  }
}
