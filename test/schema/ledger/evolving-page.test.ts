import { expect } from 'chai'
import type { AttributeDefinition } from '../../../src/schema/definition.ts'
import { declaredNames } from '../../../src/schema/ledger/enter-definitions.ts'
import { enterNames } from '../../../src/schema/ledger/enter-names.ts'
import type { HolderLedger } from '../../../src/schema/ledger/ledger.ts'
import { codeBlocksOf } from '../../support/pages.ts'

type Attributes = Readonly<Record<string, AttributeDefinition>>

describe('docs/evolving.md', () => {
  const [renamed, skipped, aliased, reused] = codeBlocksOf('docs/evolving.md')
    .filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as Attributes)

  const enter = (before: HolderLedger | undefined, attributes: Attributes = {}) =>
    enterNames(before, declaredNames(attributes), () => false)
  const first = enter(undefined, { name: { type: 'string' } }).ledger

  const storedNames = ({ columns }: ReturnType<typeof enterNames>) =>
    Object.fromEntries([...columns].map(([name, { stored }]) => [name, stored]))

  it('shows declarations that keep the values of an attribute', () => {
    expect(storedNames(enter(first, renamed))).to.deep.equal({ title: 'name' })
    expect(storedNames(enter(first, aliased))).to.deep.equal({ title: 'name' })
    expect(storedNames(enter(first, skipped))).to.deep.equal({ headline: 'name' })
  })

  it('names the stored name of a reused name', () => {
    const { ledger } = enter(first, renamed)
    expect(storedNames(enter(ledger, reused))).to.deep.equal({ title: 'name', name: 'name~2' })
  })
})
