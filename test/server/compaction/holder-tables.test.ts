import { expect } from 'chai'
import type { ComponentDefinition, Definitions } from '../../../src/schema/definition.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { enterDefinitions } from '../../../src/schema/ledger/enter-definitions.ts'
import { EMPTY_LEDGER } from '../../../src/schema/ledger/ledger.ts'
import {
  compactedHolders,
  findUnknownCollections,
} from '../../../src/server/compaction/holder-tables.ts'
import { definitionsWith } from '../../schema/ledger/release-model.ts'

const UID = 'api::thing.thing'

const PART: ComponentDefinition = {
  uid: 'shared.part',
  file: 'part.json',
  displayName: 'Part',
  attributes: { code: { type: 'string' } },
} as never

function release(attributes: object): Definitions {
  const { contentTypes } = definitionsWith(attributes as never, 'Thing')
  return { contentTypes, components: [PART] }
}

describe('compactedHolders', () => {
  const nested = { type: 'component', component: 'shared.part' }
  const enter = (ledger: typeof EMPTY_LEDGER, attributes: object) =>
    enterDefinitions(ledger, release(attributes), () => false, new Date(0))
  const older = enter(EMPTY_LEDGER, { part: nested }).ledger
  const newer = enter(older, { piece: { ...nested, from: 'part' } })

  it('keeps the components of a column whose name a computed attribute has', () => {
    const one = { type: 'string', version: 1, from: [], value: () => '' } as const
    const computed = new Map([[UID, new Map([['part', one]])]])
    const schema = compileSchema(newer.definitions, newer.storedNames, computed)
    const moves = new Map([[UID, new Map([['part', 'piece']])]])
    const holders = compactedHolders(newer.ledger, schema, moves)
    const members = holders.find(({ uid }) => uid === UID)?.members ?? []
    expect(members).to.deep.include({ stored: 'part', to: 'piece', inside: ['shared.part'] })
    expect(members).to.deep.include({ stored: 'piece', to: 'piece~c1', isStray: true })
  })

  it('knows which collections the ledger does not know', () => {
    expect(findUnknownCollections(newer.ledger)).to.deep.equal([])
    expect(findUnknownCollections({ ...newer.ledger, collections: {} })).to.deep.equal([UID])
  })
})
