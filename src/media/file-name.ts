import { randomBytes } from 'node:crypto'
import { extensionOf } from './detect-type.ts'

/** In UTF-16 units, like all text lengths. */
export const MAX_NAME = 255
const MAX_SLUG = 100

export function cleanName(sent: string): string {
  const base = sent.split(/[/\\]/).at(-1) ?? ''
  const name = base
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
