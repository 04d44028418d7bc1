export type StandaloneVerdict =
  | { readonly kind: 'transactional' }
  | { readonly kind: 'accepted' | 'refused'; readonly why: string }

const HOW = [
  'is a standalone mongod, which has no transactions.',
  'Start it with --replSet rs0 and run rs.initiate() once in mongosh',
].join(' ')

/** Replica sets and mongos support transactions. */
export function judgeStandalone(
  hasTransactions: boolean,
  allowStandalone: boolean,
): StandaloneVerdict {
  if (hasTransactions) return { kind: 'transactional' }
  return allowStandalone
    ? { kind: 'accepted', why: `The database ${HOW}; until then writes are not atomic.` }
    : {
        kind: 'refused',
        why: `The database ${HOW}, or set QUIRE_ALLOW_STANDALONE=1 to accept writes that are not atomic.`,
      }
}
