import type { Document } from 'mongodb'

export const DOCUMENT_COUNT = 10_000

function text(length: number, seed: number): string {
  return Array.from({ length }, (_, i) =>
    String.fromCharCode(97 + ((seed * 31 + i * 7) % 26)),
  ).join('')
}

export function makeDocument(i: number): Document {
  return {
    _id: `document-${i}:en:published`,
    id: i,
    documentId: `document-${i}`,
    locale: 'en',
    status: i % 2 === 0 ? 'published' : 'draft',
    createdAt: new Date(1_700_000_000_000 + i * 1000),
    updatedAt: new Date(1_700_000_000_000 + i * 2000),
    title: `Title ${(i * 7919) % DOCUMENT_COUNT}`,
    slug: `title-${(i * 7919) % DOCUMENT_COUNT}`,
    rating: (i * 31) % 100,
    tags: [`tag-${i % 10}`, `tag-${i % 7}`],
    seo: { id: i, metaTitle: text(30, i), metaDescription: text(80, i) },
    body: text(300, i),
  }
}
