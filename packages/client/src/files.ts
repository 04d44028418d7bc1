import { QuireError } from './quire-error.ts'
import type { Call, CallOptions } from './call.ts'
import type { Transport } from './transport.ts'
import type { NativeFile } from './uploads/native-file.ts'
import type { PartsUpload } from './uploads/send-parts.ts'

export type { NativeFile } from './uploads/native-file.ts'

/** A file, as entries contain it. */
export interface UploadedFile {
  readonly id: number
  readonly documentId: string
  readonly name: string
  readonly url: string
  readonly mime: string
  readonly width: number | null
  readonly height: number | null
  readonly alternativeText: string | null
  readonly caption: string | null
  /** In responses of `$files` only, and only if there are any. Entries show the texts in their locale. */
  readonly translations?: FileTranslations
}

/** The texts of a file by locale. Where one is missing, the file's own is shown. */
export type FileTranslations = Readonly<
  Record<string, { readonly alternativeText?: string; readonly caption?: string }>
>

export interface UploadOptions extends CallOptions {
  readonly name?: string
  readonly alternativeText?: string
  readonly caption?: string
  readonly translations?: FileTranslations
  /** A private file has addresses that expire. */
  readonly private?: boolean
  /** After each part of a file above 8 MiB. Else continuous in browsers and React Native, elsewhere once at the end. */
  readonly onProgress?: (sent: number, total: number) => void
}

export interface Files {
  upload(file: Blob | NativeFile, options?: UploadOptions): Promise<UploadedFile>
  delete(of: number | string, options?: CallOptions): Promise<void>
}

export function openFiles(transport: Transport): Files {
  return {
    upload: async (file, options: UploadOptions = {}) => {
      const { onProgress } = options
      const files =
        (await sendLarge(transport, file, options)) ?? (await sendForm(transport, file, options))
      const { size } = file
      if (size !== undefined) onProgress?.(size, size)
      const [uploaded] = files
      if (uploaded === undefined) throw new Error('The server answered no file')
      return uploaded
    },
    delete: async (of, options = {}) => {
      await transport.send({ method: 'DELETE', path: `upload/files/${of}`, ...options })
    },
  }
}

/** Larger files are sent in parts. */
const PART_BYTES = 8_388_608

/** Sends a large file in parts. Null if it must be sent as a form. */
export async function sendInParts(upload: PartsUpload): Promise<unknown> {
  if ((upload.file.size ?? 0) <= PART_BYTES) return null
  const { sendParts } = await import('./uploads/send-parts.ts')
  return sendParts(upload)
}

/** Anonymous uploads belong to no caller, so they cannot be resumed. */
async function sendLarge(
  transport: Transport,
  file: Blob | NativeFile,
  { name = nameOf(file), onProgress, signal, ...info }: UploadOptions,
): Promise<readonly UploadedFile[] | null> {
  if ((await transport.authorization()) === null) return null
  const send = async (call: Call): Promise<unknown> => (await transport.send(call)).body
  const files = await sendInParts({ send, file, name, info, signal, onProgress })
  return files as readonly UploadedFile[] | null
}

function sendForm(
  transport: Transport,
  file: Blob | NativeFile,
  { onProgress, signal, name, ...info }: UploadOptions,
): Promise<readonly UploadedFile[]> {
  const form = new FormData()
  form.append('fileInfo', JSON.stringify({ ...info, ...(name !== undefined && { name }) }))
  appendFile(form, file, name)
  return onProgress !== undefined && typeof XMLHttpRequest !== 'undefined'
    ? sendWatched(transport, form, onProgress, signal)
    : sendPlainly(transport, form, signal)
}

export function appendFile(
  form: FormData,
  file: Blob | NativeFile,
  name: string | undefined,
): void {
  if ('uri' in file) {
    const named = name === undefined ? file : { ...file, name }
    // The `FormData` of React Native takes such files. The types of browsers do not know them.
    form.append('files', named as unknown as Blob)
    return
  }
  form.append('files', file, name ?? nameOf(file))
}

export function nameOf(file: Blob | NativeFile): string {
  return (file as { readonly name?: string }).name ?? 'file'
}

async function sendPlainly(
  transport: Transport,
  body: FormData,
  signal: AbortSignal | undefined,
): Promise<readonly UploadedFile[]> {
  const call = { method: 'POST', path: 'upload', body } as const
  const reply = await transport.send({ ...call, ...(signal !== undefined && { signal }) })
  return reply.body as readonly UploadedFile[]
}

/** `fetch` does not report the progress of an upload. */
async function sendWatched(
  transport: Transport,
  body: FormData,
  onProgress: (sent: number, total: number) => void,
  signal: AbortSignal | undefined,
): Promise<readonly UploadedFile[]> {
  const authorization = await transport.authorization()
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `${transport.url}/api/upload`)
    if (authorization !== null) request.setRequestHeader('Authorization', authorization)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded, total))
    request.addEventListener('error', () => reject(new TypeError('The upload failed')))
    request.addEventListener('abort', () => reject(signal?.reason as Error))
    request.addEventListener('load', () => {
      const { status, responseText } = request
      const parsed: unknown = JSON.parse(responseText)
      if (status < 300) resolve(parsed as readonly UploadedFile[])
      else reject(new QuireError(new Response(responseText, { status }), parsed))
    })
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body)
  })
}
