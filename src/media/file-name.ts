import { randomBytes } from 'node:crypto'

const MAX_NAME = 255
const MAX_SLUG = 100

/** A name as it was sent, without the folders and control characters that a name cannot have. */
export function cleanName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? ''
  const name = base
    .replace(/\p{Cc}/gu, '')
    .normalize('NFC')
    .trim()
  return name === '' || name === '.' || name === '..' ? 'file' : name.slice(0, MAX_NAME)
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
