import type { PartStorage } from './storage.ts'

/** As text it has 1.4 MB. SQLite on Android reads rows of at most 2 MB. */
export const STORED_PART_BYTES = 1_048_576

/** Stores the bytes of a file in parts. One part at a time is in memory. @throws the error of the storage */
export async function storeInParts(
  storage: PartStorage,
  key: string,
  file: Blob,
  partBytes = STORED_PART_BYTES,
): Promise<void> {
  try {
    for (let part = 0; part * partBytes < file.size; part += 1) {
      const bytes = file.slice(part * partBytes, (part + 1) * partBytes)
      await storage.put(key, part, encodeBase64(new Uint8Array(await bytes.arrayBuffer())))
    }
  } catch (error) {
    // The next start deletes them too.
    await storage.drop(key).catch(() => undefined)
    throw error
  }
}

/** More overflow the stack of some engines. */
const MAX_ARGUMENTS = 8_192

export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += MAX_ARGUMENTS) {
    text += Reflect.apply(String.fromCodePoint, null, bytes.subarray(start, start + MAX_ARGUMENTS))
  }
  return btoa(text)
}
