import type { Document } from 'mongodb'
import { isDeepStrictEqual } from 'node:util'
import type { EditedDocument } from '../guests/editor-documents.ts'
import type { ModelVersion } from '../models/version-model.ts'

/** Each document must be in a state that the model allows. */
export function compareThings(
  things: readonly Document[],
  documents: readonly EditedDocument[],
): readonly string[] {
  const bySlug = new Map<unknown, Document[]>()
  for (const thing of things) {
    const rows = bySlug.get(thing['slug']) ?? []
    rows.push(thing)
    bySlug.set(thing['slug'], rows)
  }
  const faults: string[] = []
  for (const document of documents) {
    const rows = bySlug.get(document.slug) ?? []
    bySlug.delete(document.slug)
    const fault = compareDocument(rows, document)
    if (fault !== null) faults.push(fault)
  }
  for (const [slug, rows] of bySlug)
    faults.push(`${rows.length} strange versions with the slug ${String(slug)}`)
  return faults
}

function compareDocument(
  rows: readonly Document[],
  { slug, documentId, model, possible }: EditedDocument,
): string | null {
  const ids = new Set(rows.map((row) => String(row['documentId'])))
  if (ids.size > 1) return `${slug} was created ${ids.size} times`
  if (documentId !== null && ids.size === 1 && !ids.has(documentId))
    return `${slug} has a strange id`
  const stored = sorted(rows.map(storedText))
  const states = (possible ?? [model.versions]).map((versions) => sorted(versions.map(modelText)))
  if (states.some((state) => isDeepStrictEqual(state, stored))) return null
  return `${slug} is stored as ${JSON.stringify(stored)}; possible: ${JSON.stringify(states)}`
}

function sorted(texts: readonly string[]): readonly string[] {
  return texts.toSorted()
}

function storedText(row: Document): string {
  const { locale, status, title, tags, rank, code, part } = row
  return text({ locale, status, title, tags, rank, code, part: partTextOf(part) })
}

function partTextOf(part: unknown): unknown {
  return typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : null
}

function modelText({ locale, status, values }: ModelVersion): string {
  const { title, tags, rank, code, part } = values
  return text({ locale, status, title, tags, rank, code, part: part?.text ?? null })
}

function text(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(members))
}
