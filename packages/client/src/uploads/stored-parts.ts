import type { PartStorage } from '../sync/storage.ts'
import { STORED_PART_BYTES } from '../sync/store-parts.ts'
import type { SlicedFile } from './sliced-file.ts'

/** A part was lost. No retry helps. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart'

  constructor() {
    super('The device has lost bytes of the file')
  }
}

/** Reads a file that `storeInParts` has stored. `slice` throws `MissingPart`. */
export function openStoredParts(
  storage: PartStorage,
  key: string,
  { size, mime }: { readonly size: number; readonly mime: string },
  partBytes = STORED_PART_BYTES,
): SlicedFile {
  const read = async (part: number): Promise<Uint8Array<ArrayBuffer>> => {
    const text = await storage.get(key, part)
    const bytes = text === undefined ? null : decodeBase64(text)
    if (bytes?.length !== Math.min(partBytes, size - part * partBytes)) throw new MissingPart()
    return bytes
  }
  return {
    size,
    type: mime,
    slice: async (start, end) => {
      const to = Math.min(end, size)
      const bytes: Uint8Array<ArrayBuffer>[] = []
      for (let part = Math.floor(start / partBytes); part * partBytes < to; part += 1) {
        const offset = part * partBytes
        bytes.push((await read(part)).subarray(Math.max(0, start - offset), to - offset))
      }
      return new Blob(bytes, { type: mime })
    },
  }
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.codePointAt(at) ?? 0
  return bytes
}
