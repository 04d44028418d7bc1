import { randomBytes } from 'node:crypto'
import { extensionOf } from './detect-type.ts'
import { newPrivateEnd } from './private-names.ts'

/** In UTF-16 units, like all text lengths. */
export const MAX_NAME = 255
const MAX_SLUG = 100
/** Shorter, so that the names of generations and variants stay below the limit of stored names. */
const MAX_PRIVATE_SLUG = 60

/** Controls of the direction of a text: `photo\u202Egpj.exe` looks like `photoexe.jpg`. */
const DIRECTIONS = /[\u202A-\u202E\u2066-\u2069]/g

/** Removes characters that disguise the extension of a name. */
export function withoutDirections(name: string): string {
  return name.replace(DIRECTIONS, '')
}

export function cleanName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? ''
  const name = withoutDirections(base)
    .replace(/\p{Cc}/gu, '')
    .normalize('NFC')
    .trim()
  return name === '' || name === '.' || name === '..' ? 'file' : shorten(name)
}

function shorten(name: string): string {
  if (name.length <= MAX_NAME) return name
  const ext = extensionOf(name)
  return `${name.slice(0, MAX_NAME - ext.length).replace(/\p{Surrogate}$/u, '')}${ext}`
}

export function newHash(name: string, ext: string, isPrivate = false): string {
  const base = ext !== '' && name.endsWith(ext) ? name.slice(0, -ext.length) : name
  const random = isPrivate ? newPrivateEnd() : randomBytes(5).toString('hex')
  return `${slugOf(base).slice(0, isPrivate ? MAX_PRIVATE_SLUG : MAX_SLUG)}_${random}`
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
