import { withSent } from '@quire/client/preview'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { toFormValues } from '../../src/entry/values.ts'
import { toSentValues } from '../../src/screens/entry/sent-values.ts'
import { ARTICLE, ENTRY, reading, withoutKeys } from './samples.ts'

describe('values for a live preview', () => {
  it('leave an entry without edits as it was loaded', () => {
    fc.assert(
      fc.property(ENTRY, (entry) => {
        const read = reading()
        const sent = toSentValues(ARTICLE, toFormValues(ARTICLE, entry, read), read)
        expect(withSent(entry, sent)).to.deep.equal(entry)
      }),
    )
  })

  it('show the values of the form', () => {
    fc.assert(
      fc.property(
        ENTRY,
        ENTRY,
        fc.array(fc.constantFrom(...Object.keys(ARTICLE))),
        (entry, other, names) => {
          const read = reading()
          const base = toFormValues(ARTICLE, entry, read)
          const wanted = toFormValues(ARTICLE, other, read)
          const edited = names
            .filter((name) => ARTICLE[name]?.writable !== false)
            .map((name) => [name, wanted[name]])
          const mine = { ...base, ...Object.fromEntries(edited) }
          const shown = withSent(entry, toSentValues(ARTICLE, mine, read))
          expect(withoutKeys(toFormValues(ARTICLE, shown, read))).to.deep.equal(withoutKeys(mine))
        },
      ),
    )
  })

  it('contain no password and no private attribute', () => {
    const attributes = {
      secret: { type: 'password' },
      note: { type: 'string', private: true },
      part: { type: 'component', component: 'shared.kept' },
    } as const
    const kept = { uid: 'shared.kept', displayName: 'Kept', attributes }
    const read = { ...reading(), components: new Map([['shared.kept', kept as never]]) }
    const values = {
      secret: 'canary',
      note: 'canary',
      part: { $key: 'a', secret: 'canary', note: 'canary' },
    }
    const sent = toSentValues(attributes, values, read)
    expect(JSON.stringify(sent)).not.to.contain('canary')
    expect(sent).to.deep.equal({
      part: { components: [{ values: {} }], many: false },
    })
  })

  it('leave out a relation that the form knows in part', () => {
    const values = { tags: { items: [], more: true }, title: 'Shown' }
    expect(toSentValues(ARTICLE, values, reading())).to.deep.equal({ title: { value: 'Shown' } })
  })

  it('replace only members that the page has loaded', () => {
    const loaded = { documentId: 'a', title: 'Before' }
    const sent = { title: { value: 'After' }, body: { value: 'Not asked for' } }
    expect(withSent(loaded, sent)).to.deep.equal({ documentId: 'a', title: 'After' })
  })
})
