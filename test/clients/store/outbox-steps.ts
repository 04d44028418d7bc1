import * as fc from 'fast-check'
import type { Faults } from './faulty-process.ts'

export const DEVICES = 3
/** Database commands of a push. The connection of the server is cut in the middle of the reply. */
const COMMANDS = [
  'find',
  'findAndModify',
  'update',
  'insert',
  'bulkWrite',
  'commitTransaction',
] as const

const device = fc.nat({ max: DEVICES - 1 })
const entry = fc.nat({ max: 1 })
const faults: fc.Arbitrary<Faults> = fc.record({
  killAt: fc.option(fc.nat({ max: 30 }), { freq: 3 }),
  fullAt: fc.option(fc.nat({ max: 4 }), { freq: 1 }),
  lostAt: fc.option(fc.nat({ max: 4 }), { freq: 2 }),
  unansweredAt: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
  pauses: fc.constant([]),
})

const write = fc.record({
  kind: fc.constant('write' as const),
  device,
  entry,
  by: fc.integer({ min: -3, max: 3 }),
  place: fc.nat({ max: 20 }),
  /** Whether the change also sets the attribute that `crash` renames or replaces. */
  isMarked: fc.boolean(),
})
const sync = fc.record({
  kind: fc.constant('sync' as const),
  device,
  faults,
  isRetried: fc.boolean(),
})
const create = fc.record({
  kind: fc.constant('create' as const),
  device,
  count: fc.integer({ min: 1, max: 3 }),
})
const role = fc.record({
  kind: fc.constant('role' as const),
  missing: fc.constantFrom('update', 'push', 'create', null),
})
const crash = fc.record({
  kind: fc.constant('crash' as const),
  /** Its sync is interrupted. */
  device,
  at: fc.constantFrom(...COMMANDS),
  /** Without a proxy in front of the database, the server is killed after this time instead. */
  afterMs: fc.nat({ max: 80 }),
  /** Of an attribute of the notes, before the server runs again. */
  change: fc.constantFrom('rename' as const, 'replace' as const, null, null),
  /** The clock of the next server process, compared with those of the devices. */
  clockHours: fc.constantFrom(0, -5, 5),
})

export const STEPS = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: write },
    { weight: 4, arbitrary: sync },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), entry }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const), device }) },
    { weight: 2, arbitrary: create },
    { weight: 1, arbitrary: role },
    { weight: 1, arbitrary: fc.constant({ kind: 'backup' as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: 'restore' as const }) },
    { weight: 2, arbitrary: crash },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('copy' as const), device }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), device }) },
  ),
  { minLength: 4, maxLength: 16 },
)

export type Step = typeof STEPS extends fc.Arbitrary<readonly (infer One)[]> ? One : never
export type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>
