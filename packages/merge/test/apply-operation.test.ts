import { applyOperation, elementKeyOf, type Operation } from '@quire/merge/apply-operation'
import { expect } from 'chai'

const apply = (value: unknown, operation: Operation) =>
  applyOperation(value, operation, elementKeyOf)

describe('the operations of a patch', () => {
  it('set and add', () => {
    expect(apply('a', { set: null })).to.deep.equal({ value: null, isPlaced: true })
    expect(apply(2, { inc: -3 })).to.deep.equal({ value: -1, isPlaced: true })
    expect(apply(null, { inc: 1 })).to.deep.equal({ value: 1, isPlaced: true })
    expect(apply('text', { inc: 1 })).to.deep.equal({ value: 1, isPlaced: true })
  })

  it('fill a list that does not exist yet', () => {
    const append = [{ $key: 'new' }]
    expect(apply(null, { append })).to.deep.equal({ value: append, isPlaced: true })
    expect(apply(undefined, { connect: [{ documentId: 'a' }] }).value).to.deep.equal(['a'])
  })

  it('connect, move and disconnect targets', () => {
    const connect = [
      { documentId: 'd' },
      { documentId: 'c', after: null },
      { documentId: 'e', after: 'a' },
    ]
    expect(apply(['a', 'b', 'c'], { connect, disconnect: ['b'] })).to.deep.equal({
      value: ['c', 'a', 'e', 'd'],
      isPlaced: true,
    })
    expect(apply(['a', 'b'], { disconnect: ['a'] }).value).to.deep.equal(['b'])
    expect(apply(['a'], { connect: [{ documentId: 'b', after: 'gone' }] })).to.deep.equal({
      value: ['a', 'b'],
      isPlaced: false,
    })
  })

  it('remove, move and append components', () => {
    const list = [{ id: 1 }, { id: 2 }, { id: 3 }]
    const operation = { remove: [1], move: [{ key: 3, after: null }], append: [{ $key: 'new' }] }
    expect(apply(list, operation)).to.deep.equal({
      value: [{ id: 3 }, { id: 2 }, { $key: 'new' }],
      isPlaced: true,
    })
    expect(apply(list, { move: [{ key: 1, after: 9 }] })).to.deep.equal({
      value: [{ id: 2 }, { id: 3 }, { id: 1 }],
      isPlaced: false,
    })
    expect(apply(list, { move: [{ key: 9, after: null }], remove: [8] })).to.deep.equal({
      value: list,
      isPlaced: true,
    })
  })

  it('name the elements of zones by component and id', () => {
    const zone = [
      { __component: 'shared.quote', id: 1 },
      { __component: 'shared.note', id: 1 },
    ]
    expect(apply(zone, { remove: ['shared.note:1'] }).value).to.deep.equal([zone[0]])
  })

  for (const element of [null, 'text', 1, {}, { id: '1' }, { __component: 'shared.quote' }]) {
    it(`give ${JSON.stringify(element)} no key`, () => {
      expect(elementKeyOf(element)).to.equal(null)
    })
  }
})
