import { randomBytes } from 'node:crypto'
import { extensionOf } from './detect-type.ts'

/** In UTF-16 units, like every length of a text. */
export const MAX_NAME = 255
const MAX_SLUG = 100

/** A name as it was sent, without the folders and control characters that a name cannot have. */
export function cleanName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? ''
  const name = base
    .replace(/\p{Cc}/gu, '')
    .normalize('NFC')
    .trim()
  return name === '' || name === '.' || name === '..' ? 'file' : shorten(name)
}

/** To `MAX_NAME`; the extension, which may give the type, stays, and no character is cut in two. */
function shorten(name: string): string {
  if (name.length <= MAX_NAME) return name
  const ext = extensionOf(name)
  return `${name.slice(0, MAX_NAME - ext.length).replace(/\p{Surrogate}$/u, '')}${ext}`
}

/** What a file is stored under, without its extension: readable, and unlike any other. */
export function newHash(name: string, ext: string): string {
  const base = ext !== '' && name.endsWith(ext) ? name.slice(0, -ext.length) : name
  return `${slugOf(base)}_${randomBytes(5).toString('hex')}`
}

function slugOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_SLUG)
  return slug === '' ? 'file' : slug
}
