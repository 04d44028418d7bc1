import { applyOperation, elementKeyOf } from '@quire/merge/apply-operation'
import type { Mutation } from './mutation.ts'
import type { Row } from './storage.ts'

/** The row as the user sees it: with the mutations on top. Null if it is deleted. */
export function showMutations(
  row: Row | undefined,
  mutations: readonly Mutation[],
  status: 'draft' | 'published',
): Row | null {
  let shown = row ?? null
  for (const mutation of mutations) {
    if (mutation.op === 'delete') shown = null
    else if (mutation.op !== 'publish') shown = changed(shown, mutation, status)
  }
  return shown
}

function changed(row: Row | null, mutation: Mutation, status: 'draft' | 'published'): Row | null {
  const isNew = mutation.op === 'create' || mutation.base === null
  if (row === null && !isNew) return null
  const { type, documentId, locale, patch } = mutation
  const shown = row ?? { type, documentId, locale, round: 0, data: newData(mutation, status) }
  return { ...shown, data: { ...shown.data, ...patchedValues(shown.data, patch) } }
}

export function patchedValues(
  data: Readonly<Record<string, unknown>>,
  patch: Mutation['patch'],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(patch).map(([name, operation]) => [
      name,
      applyOperation(data[name], operation, elementKeyOf).value,
    ]),
  )
}

/** The id is negative until the server assigns one. */
function newData(
  { n, documentId, locale, at }: Mutation,
  status: 'draft' | 'published',
): Row['data'] {
  return {
    id: -n,
    documentId,
    createdAt: at,
    updatedAt: at,
    publishedAt: status === 'draft' ? null : at,
    ...(locale !== null && { locale }),
  }
}
