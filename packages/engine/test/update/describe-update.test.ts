import {
  array,
  assert,
  constantFrom,
  dictionary,
  letrec,
  oneof,
  property,
  tuple,
  uniqueArray,
} from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { expect } from 'chai'
import { Double } from 'bson'
import { encodeDocument } from '../../src/bson/encode.ts'
import { cloneValue, isDocument, toDocument } from '../../src/bson/values.ts'
import type { Document, Value } from '../../src/bson/values.ts'
import { describeUpdate } from '../../src/update/describe-update.ts'

interface Holder {
  readonly holder: Document | Value[]
  readonly key: string
}

function find(document: Document, path: string): Holder {
  const parts = path.split('.')
  const key = parts.pop() ?? ''
  let holder: Document | Value[] = document
  for (const part of parts)
    holder = (Array.isArray(holder) ? holder[Number(part)] : holder[part]) as Document
  return { holder, key }
}

/** Applies a description as a client with a copy of the document does. */
function applyTo(before: Document, description: Document): Document {
  const document = cloneValue(before)
  for (const entry of description['truncatedArrays'] as Document[]) {
    const { holder, key } = find(document, entry['field'] as string)
    const list = (holder as Document)[key] as Value[]
    list.length = entry['newSize'] as number
  }
  for (const path of description['removedFields'] as string[]) {
    const { holder, key } = find(document, path)
    delete (holder as Document)[key]
  }
  const updated = description['updatedFields'] as Document
  for (const path of Object.keys(updated)) {
    const { holder, key } = find(document, path)
    ;(holder as Document)[key] = updated[path]
  }
  return document
}

const leaf: Arbitrary<Value> = constantFrom<Value>(1, 2, new Double(1), 'a', null, true)
const { value } = letrec<{ value: Value }>((tie) => ({
  value: oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    array(tie('value'), { maxLength: 3 }),
    uniqueArray(tuple(constantFrom('a', 'b', 'c'), tie('value')), {
      maxLength: 3,
      selector: ([name]) => name,
    }).map((members) => toDocument(Object.fromEntries(members))),
  ),
}))
const document = dictionary(constantFrom('p', 'q', 'r'), value, { maxKeys: 3 })

describe('describeUpdate', () => {
  it('leads from the version before to the version after', () => {
    let nested = 0
    assert(
      property(document, document, (one, other) => {
        const [before, after] = [toDocument(one), toDocument(other)]
        const description = describeUpdate(before, after)
        nested += Number(Object.keys(description['updatedFields'] as Document).some(hasDot))
        expect(sorted(applyTo(before, description))).to.deep.equal(sorted(after))
      }),
      { numRuns: 2_000 },
    )
    expect(nested).to.be.greaterThan(50)
  })

  it('names members, elements and the new size of lists', () => {
    const before = toDocument({ a: toDocument({ x: 1, y: 2 }), list: [1, 2, 3], gone: 1 })
    const after = toDocument({ a: toDocument({ x: 1, y: 3 }), list: [1, 5] })
    expect(describeUpdate(before, after)).to.deep.equal(
      toDocument({
        updatedFields: toDocument({ 'a.y': 3, 'list.1': 5 }),
        removedFields: ['gone'],
        truncatedArrays: [toDocument({ field: 'list', newSize: 2 })],
      }),
    )
  })

  it('names an embedded document whose members have another order', () => {
    const before = toDocument({ a: toDocument({ x: 1, y: 2 }) })
    const after = toDocument({ a: toDocument({ y: 2, x: 1 }) })
    expect(describeUpdate(before, after)['updatedFields']).to.deep.equal(after)
  })
})

function hasDot(path: string): boolean {
  return path.includes('.')
}

/** Bytes, so that types of numbers count. Only the order of the top level is free. */
function sorted(root: Document): readonly string[] {
  expect(isDocument(root)).to.equal(true)
  return Object.keys(root)
    .sort()
    .map((name) => name + encodeDocument(toDocument({ [name]: root[name] })).toString('hex'))
}
