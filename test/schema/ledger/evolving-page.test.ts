import { expect } from 'chai'
import type { AttributeDefinition, Definitions } from '../../../src/schema/definition.ts'
import { checkDefinitions } from '../../../src/schema/check/check.ts'
import { declaredNames, enterDefinitions } from '../../../src/schema/ledger/enter-definitions.ts'
import { enterNames } from '../../../src/schema/ledger/enter-names.ts'
import { EMPTY_LEDGER, type HolderLedger } from '../../../src/schema/ledger/ledger.ts'
import { codeBlocksOf } from '../../support/pages.ts'

type Attributes = Readonly<Record<string, AttributeDefinition>>

describe('docs/evolving.md', () => {
  const blocks = codeBlocksOf('docs/evolving.md')
    .filter(({ language }) => language === 'json')
    .map(({ text }): unknown => JSON.parse(text))
  const [renamed, skipped, aliased, emails, states, zoned, reused, post] =
    blocks as readonly Attributes[]

  const enter = (before: HolderLedger | undefined, attributes: Attributes = {}) =>
    enterNames(
      before,
      declaredNames(attributes, (uid) => uid),
      () => false,
    )
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

  it('shows declarations that a check accepts after a change of the type', () => {
    for (const attributes of [emails, states, zoned]) {
      const file = { file: 'shop.json', kind: 'contentType', uid: 'api::shop.shop' } as const
      const { contentTypes } = checkDefinitions([{ ...file, content: { attributes } }])
      expect(contentTypes[0]?.attributes).to.deep.equal(attributes)
    }
  })

  it('shows a content-type that keeps its collection', () => {
    const declared = (name: string, content: unknown): Definitions => {
      const file = {
        file: `${name}.json`,
        kind: 'contentType',
        uid: `api::${name}.${name}`,
      } as const
      return checkDefinitions([{ ...file, content }])
    }
    const article = declared('article', { attributes: { title: { type: 'string' } } })
    const { ledger } = enterDefinitions(EMPTY_LEDGER, article, () => false, new Date(0))
    const renamedType = declared('post', post)
    const { definitions } = enterDefinitions(ledger, renamedType, () => false, new Date(0))
    expect(definitions.contentTypes[0]).to.include({
      uid: 'api::article.article',
      declaredUid: 'api::post.post',
      collectionName: 'articles',
    })
  })
})
