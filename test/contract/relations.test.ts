import { expect } from 'chai'
import { type Library, loadLibrary, openLibrary } from './library.ts'
import { outcome } from './outcome.ts'

/** Relations. `[tags before, change, tags after]`, by the names of the tags. */
const CHANGES: readonly (readonly [readonly string[], unknown, readonly string[]])[] = [
  [['red'], ['{{green}}', '{{blue}}'], ['green', 'blue']],
  [['red'], '{{blue}}', ['blue']],
  [['red'], { documentId: '{{blue}}' }, ['blue']],
  [['red'], ['{{blue.id}}', '{{green.id}}'], ['blue', 'green']],
  [['red'], [{ id: '{{blue.id}}' }], ['blue']],
  [['red'], { set: ['{{green}}', { documentId: '{{blue}}' }] }, ['green', 'blue']],
  [['red'], { set: [] }, []],
  [['red'], { set: null }, ['red']],
  [['red'], null, []],
  [['red'], {}, ['red']],
  [['red'], { connect: [], disconnect: [] }, ['red']],
  [['red'], { connect: '{{blue}}' }, ['red', 'blue']],
  [['red'], { connect: { documentId: '{{blue}}' } }, ['red', 'blue']],
  [['red', 'green'], { connect: ['{{red}}'] }, ['green', 'red']],
  [['red', 'green'], { disconnect: '{{red}}' }, ['green']],
  [['red', 'green'], { disconnect: { id: '{{red.id}}' } }, ['green']],
  [['red'], { disconnect: ['{{blue}}'] }, ['red']],
  [['red', 'green'], { connect: ['{{red}}'], disconnect: ['{{red}}'] }, ['green', 'red']],
  [['red'], { set: ['{{green}}'], connect: ['{{blue}}'] }, ['green']],
  [['red'], ['{{blue}}', null, '{{blue}}'], ['blue']],
  [
    ['red', 'green'],
    { connect: [{ documentId: '{{blue}}', position: { start: true } }] },
    ['blue', 'red', 'green'],
  ],
  [
    ['red', 'green'],
    { connect: [{ documentId: '{{blue}}', position: { end: true } }] },
    ['red', 'green', 'blue'],
  ],
  [
    ['red', 'green'],
    { connect: [{ documentId: '{{blue}}', position: {} }] },
    ['red', 'green', 'blue'],
  ],
  [
    ['red', 'green'],
    { connect: [{ documentId: '{{blue}}', position: { before: '{{green}}' } }] },
    ['red', 'blue', 'green'],
  ],
  [
    ['red', 'green'],
    { connect: [{ id: '{{blue.id}}', position: { after: '{{red.id}}' } }] },
    ['red', 'blue', 'green'],
  ],
  [
    ['red', 'green', 'blue'],
    { connect: [{ documentId: '{{red}}', position: { after: '{{blue}}' } }] },
    ['green', 'blue', 'red'],
  ],
  [
    ['red'],
    {
      connect: [
        { documentId: '{{blue}}', position: { before: '{{red}}' } },
        { documentId: '{{green}}', position: { after: '{{blue}}' } },
      ],
    },
    ['blue', 'green', 'red'],
  ],
]

const WRONG_TARGETS: readonly (readonly [unknown, RegExp])[] = [
  ['zzz', /^400 ValidationError: Document with id "zzz", locale "null" not found$/],
  [['zzz'], /Document with id "zzz", locale "null" not found$/],
  [{ connect: ['zzz'] }, /Document with id "zzz", locale "null" not found$/],
  [
    { connect: ['{{red}}', '{{red.id}}'] },
    /^400 ValidationError: tags: connect names the document/,
  ],
  [{ set: [{ documentId: 'zzz' }] }, /Document with id "zzz", locale "null" not found$/],
  [
    [424_242],
    /^400 ValidationError: 1 relation\(s\) of type api::tag.tag associated with this entity do not exist/,
  ],
  [
    [{ id: 424_242 }],
    /1 relation\(s\) of type api::tag.tag associated with this entity do not exist/,
  ],
  [[1.5], /^400 ValidationError: Invalid relations/],
  [[true], /Invalid relations/],
  [[{}], /Invalid relations/],
  [false, /Invalid relations/],
  [[''], /Invalid relations|Document with id ""/],
  [{ foo: [] }, /^400 ValidationError: Invalid key foo at tags \[foo tags body\]$/],
  [
    [{ documentId: '{{red}}', status: 'draft' }],
    /^400 ValidationError: Invalid key status at tags/,
  ],
  [[['{{red}}']], /^400 ValidationError: Invalid key 0 at tags/],
  [
    { connect: [{ documentId: '{{red}}', position: { before: '{{blue}}' } }] },
    /^400 .*There was a problem connecting relation/,
  ],
  [{ connect: [{ documentId: '{{red}}', position: { sideways: true } }] }, /^400/],
]

describe('the contract of relations', () => {
  let library: Library

  before(async () => {
    library = await openLibrary('contract_relations')
    await loadLibrary(library)
  })

  after(() => library.close())

  describe('changes of a relation', () => {
    for (const [start, change, expected] of CHANGES) {
      it(`accepts ${JSON.stringify(change)} for ${start.join(' ')}`, async () => {
        const tags = start.map((name) => `{{${name}}}`)
        const created = await library.as('root', 'POST', '/api/articles', {
          data: { title: 'xx', tags },
        })
        const target = `/api/articles/${created.body.data.documentId}`
        const changed = await library.as('root', 'PUT', `${target}?populate=tags`, {
          data: { tags: change },
        })
        expect(outcome(changed, 'tags.name'), changed.text).to.deep.equal(expected)
        const draft = await library.as('root', 'GET', `${target}?populate=tags&status=draft`)
        expect(outcome(draft, 'tags.name')).to.deep.equal(expected)
      })
    }
    for (const [change, expected] of WRONG_TARGETS) {
      it(`refuses ${JSON.stringify(change)}`, async () => {
        const answer = await library.as('root', 'POST', '/api/articles', {
          data: { title: 'xx', tags: change },
        })
        expect(outcome(answer, 'tags')).to.match(expected)
      })
    }
  })
})
