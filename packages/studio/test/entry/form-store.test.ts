import { expect } from 'chai'
import { toAddress, toPath, valueAt, withValueAt } from '../../src/entry/address.ts'
import { FormStore, outlineOf } from '../../src/entry/form-store.ts'
import { type ComponentValue, toFormValues } from '../../src/entry/values.ts'
import { ARTICLE, reading } from './samples.ts'

const QUOTES = {
  quotes: [
    { id: 1, text: 'a' },
    { id: 2, text: 'b' },
  ],
}

function open(): FormStore {
  return new FormStore(toFormValues(ARTICLE, QUOTES, reading()))
}

const FIRST = ['quotes', 'shared.quote:1', 'text']
const SECOND = ['quotes', 'shared.quote:2', 'text']

describe('the form store', () => {
  it('notifies listeners of the attribute, and copies only the parents of the value', () => {
    const form = open()
    const told: string[] = []
    form.subscribe('quotes', () => told.push('quotes'))
    form.subscribe('title', () => told.push('title'))
    const [first, second] = form.get(['quotes']) as readonly ComponentValue[]
    const before = outlineOf(form.get(['quotes']) as readonly ComponentValue[])
    form.set(FIRST, 'typed')
    expect(told).to.deep.equal(['quotes'])
    const [firstAfter, secondAfter] = form.get(['quotes']) as readonly ComponentValue[]
    expect(firstAfter).to.not.equal(first)
    expect(secondAfter).to.equal(second)
    expect(outlineOf(form.get(['quotes']) as readonly ComponentValue[])).to.equal(before)
  })

  it('ignores an equal value', () => {
    const form = open()
    let times = 0
    form.subscribe('quotes', () => (times += 1))
    form.onEdit(() => (times += 1))
    form.set(FIRST, 'a')
    expect(times).to.equal(0)
  })

  it('keeps the address of a value when its component moves', () => {
    const form = open()
    form.change<readonly ComponentValue[]>(['quotes'], (list) => list.toReversed())
    form.set(FIRST, 'still the first')
    expect(form.get(FIRST)).to.equal('still the first')
    expect(form.get(SECOND)).to.equal('b')
  })

  it('clears a fault when its value, a parent or a child is edited', () => {
    for (const [at, edited] of [
      [FIRST, FIRST],
      [['quotes'], FIRST],
      [FIRST, ['quotes']],
    ] as const) {
      const form = open()
      form.setRefused(
        new Map([
          [at.join('/'), ['no']],
          ['title', ['no']],
        ]),
      )
      form.set(edited, edited.length === 1 ? [] : 'other')
      expect(form.problemsAt(at)).to.equal(undefined)
      expect(form.problemsAt(['title'])).to.deep.equal(['no'])
    }
  })

  it('translates positions of the API to addresses', () => {
    const { quotes } = toFormValues(ARTICLE, QUOTES, reading())
    const values = { quotes, seo: { $key: 'k', label: 'x' } }
    expect(toAddress(values, ['quotes', '1', 'text'])).to.deep.equal(SECOND)
    expect(toAddress(values, ['seo', 'label'])).to.deep.equal(['seo', 'label'])
    expect(toAddress(values, ['quotes', '7', 'text'])).to.deep.equal(['quotes'])
    expect(toAddress(values, ['title'])).to.deep.equal(['title'])
  })

  it('translates addresses to positions of the API', () => {
    const { quotes } = toFormValues(ARTICLE, QUOTES, reading())
    const values = { quotes, seo: { $key: 'k', label: 'x' } }
    expect(toPath(values, SECOND)).to.deep.equal(['quotes', '1', 'text'])
    expect(toPath(values, ['seo', 'label'])).to.deep.equal(['seo', 'label'])
    expect(toPath(values, ['quotes', 'gone', 'text'])).to.deep.equal(['quotes'])
    expect(toPath(values, ['title'])).to.deep.equal(['title'])
  })

  it('ignores an address that does not exist', () => {
    const values = toFormValues(ARTICLE, QUOTES, reading())
    const changed = withValueAt(values, ['quotes', 'gone', 'text'], 'x')
    expect(changed['quotes']).to.deep.equal(values['quotes'])
    expect(valueAt(values, ['quotes', 'gone', 'text'])).to.equal(undefined)
  })
})
