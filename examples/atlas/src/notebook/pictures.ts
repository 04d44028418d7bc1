import { client } from '../store.ts'
import { user } from '../user.ts'
import type { Notebook } from './store.ts'

/**
 * Pictures of notes are private files, whose addresses expire. So this device keeps the bytes by
 * the note.
 */
const CACHE = `atlas-notebook-${user?.documentId}`
const FILE = 'Quire-File'

interface KeptPicture {
  readonly file: string | null
  readonly bytes: Blob
}

function addressOf(noteId: string): string {
  return `/notebook/${noteId}`
}

/** Stores a picture for the note. It is sent when there is a network. */
export async function addPicture(notebook: Notebook, noteId: string, file: File): Promise<void> {
  const picture = await notebook.$files.add(file, { private: true })
  await keep(noteId, picture, file)
  await notebook.notes.update(noteId, { picture })
}

export async function removePicture(notebook: Notebook, noteId: string): Promise<void> {
  await notebook.notes.update(noteId, { picture: null })
  await drop(noteId)
}

/** The picture on this device. */
export async function keptPicture(noteId: string): Promise<KeptPicture | null> {
  const found = await (await caches.open(CACHE)).match(addressOf(noteId))
  if (found === undefined) return null
  return { file: found.headers.get(FILE), bytes: await found.blob() }
}

/** Fetches a picture that another device added. Returns null if the note has none. */
export async function latestPicture(
  { notes, $pending }: Notebook,
  noteId: string,
): Promise<KeptPicture | null> {
  const kept = await keptPicture(noteId)
  const isChanged = $pending.some(
    ({ documentId, patch }) => documentId === noteId && 'picture' in patch,
  )
  const isStored = (notes.get(noteId)?.id ?? 0) > 0 // the server has assigned an id
  if (isChanged || !isStored) return kept
  try {
    const { picture } = await client.notes.get(noteId, {
      fields: ['title'],
      populate: { picture: { fields: ['url'] } },
    })
    if (picture === null) {
      await drop(noteId)
      return null
    }
    if (picture.documentId === kept?.file) return kept
    const bytes = await (await fetch(picture.url)).blob()
    await keep(noteId, picture.documentId, bytes)
    return { file: picture.documentId, bytes }
  } catch {
    return kept // offline
  }
}

async function keep(noteId: string, file: string, bytes: Blob): Promise<void> {
  const headers = { 'Content-Type': bytes.type, [FILE]: file }
  await (await caches.open(CACHE)).put(addressOf(noteId), new Response(bytes, { headers }))
}

async function drop(noteId: string): Promise<void> {
  await (await caches.open(CACHE)).delete(addressOf(noteId))
}

export async function forgetPictures(): Promise<void> {
  await caches.delete(CACHE)
}
