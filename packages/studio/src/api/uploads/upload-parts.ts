import type { PartsUpload } from '@quire/client/send-parts'
import { isTemporary, sendParts, TUS } from '@quire/client/send-parts'
import { QuireError } from '@quire/client'
import type { FileEntry } from '../file-entry.ts'
import type { UploadWay, WayOptions } from './upload-way.ts'
import { LostError, sendWatched, StalledError } from './send-watched.ts'
import { sendForm } from './upload-form.ts'
import { waitForNetwork } from './wait-for-network.ts'

const PATH = '/admin/files/resumable'
const RESPONSE_MS = 60_000
/** The server joins the parts before the last response. */
const LAST_RESPONSE_MS = 280_000
const MAX_REFUSALS = 8
const MAX_REMOVALS = 5

/** A large file in parts by tus. Each attempt continues behind the bytes that the server has. */
export function byParts(options: WayOptions): UploadWay {
  const { file, key, folder, isPrivate, signal } = options
  let begun: string | null = null
  const removeBegun = (): void => {
    if (begun !== null) void removeUpload(begun)
  }
  return {
    send: async (onShare) => {
      const upload: PartsUpload = {
        send: (call) => sendCall(call, file, onShare),
        file,
        name: file.name,
        info: isPrivate ? { private: true } : {},
        path: PATH,
        fields: folder === null ? {} : { folder },
        key,
        signal,
        onBegun: (id) => (begun = id),
      }
      const files = (await sendParts(upload)) as readonly FileEntry[] | null
      if (files?.[0] !== undefined) return files[0]
      const stored = await sendForm(options, onShare)
      removeBegun()
      return stored
    },
    maxRetries: (error) => {
      if (error instanceof LostError || error instanceof StalledError) return Infinity
      if (!(error instanceof QuireError) || !isTemporary(error)) return 0
      return error.status === 423 ? Infinity : MAX_REFUSALS // the server still joins the parts
    },
    giveUp: removeBegun,
  }
}

/** A creation is never aborted, so that the upload that it creates can be deleted. */
function sendCall(
  { method, path, headers = {}, body, signal }: Parameters<PartsUpload['send']>[0],
  file: File,
  onShare: (share: number) => void,
): Promise<unknown> {
  const offset = Number(headers['Upload-Offset'] ?? 0)
  const part = body instanceof Blob ? body : null
  const isLast = offset + (part?.size ?? 0) === file.size
  return sendWatched({
    method,
    path,
    headers,
    ...(part !== null && { body: part }),
    ...(method !== 'POST' && { signal }),
    ...(part !== null && { onSent: (sent: number) => onShare((offset + sent) / file.size) }),
    responseMs: isLast ? LAST_RESPONSE_MS : RESPONSE_MS,
  })
}

/** In the background. An upload that cannot be deleted expires. */
async function removeUpload(id: string): Promise<void> {
  const { signal } = new AbortController()
  for (let failures = 0; failures < MAX_REMOVALS; failures += 1) {
    try {
      await sendWatched({ method: 'DELETE', path: `${PATH}/${id}`, headers: TUS })
      return
    } catch (error) {
      if (error instanceof QuireError && error.status !== 423) return
      await waitForNetwork(failures, signal)
    }
  }
}
