import { expect } from 'chai'
import { parsePagination } from '../../src/query/parse-pagination.ts'
import type { WithCount } from '../../src/query/query.ts'
import { thrownBy } from '../fixtures/errors.ts'

const RULES = { defaultLimit: 25, maxLimit: 100 }

const parse = (pagination: unknown): unknown => parsePagination({ pagination }, [], RULES)

describe('parsePagination', () => {
  const page = (number: number, pageSize: number, withCount: WithCount = true): object => ({
    kind: 'page',
    page: number,
    pageSize,
    withCount,
  })
  const offset = (start: number, limit: number, withCount = true): object => ({
    kind: 'offset',
    start,
    limit,
    withCount,
  })
  const accepted: readonly (readonly [string, unknown, object])[] = [
    ['undefined as the first page', undefined, page(1, 25)],
    ['a page', { page: '3' }, page(3, 25)],
    ['a size', { pageSize: '7' }, page(1, 7)],
    ['a size above the maximum as the maximum', { pageSize: '101' }, page(1, 100)],
    ['page 0 as the first', { page: '0' }, page(1, 25)],
    ['a negative page as the first', { page: '-4' }, page(1, 25)],
    ['a start', { start: '5' }, offset(5, 25)],
    ['a limit', { limit: '5' }, offset(0, 5)],
    ['a negative start as 0', { start: '-5', limit: '3' }, offset(0, 3)],
    ['a limit above the maximum as the maximum', { limit: '1000' }, offset(0, 100)],
    ['no count', { withCount: 'false' }, page(1, 25, false)],
    ['no count, given as 0', { start: '1', withCount: '0' }, offset(1, 25, false)],
    ['an estimate', { withCount: 'estimate' }, page(1, 25, 'estimate')],
    ['a count, given as t', { withCount: 't' }, page(1, 25)],
    ['an unknown parameter as absent', { foo: 'x' }, page(1, 25)],
    [
      'an empty cursor as the first page',
      { cursor: '', pageSize: '2' },
      { kind: 'cursor', after: null, pageSize: 2, withCount: true },
    ],
  ]
  for (const [label, input, expected] of accepted) {
    it(`reads ${label}`, () => {
      expect(parse(input)).to.deep.equal(expected)
    })
  }

  it('ignores limit and start at the root', () => {
    expect(parsePagination({ limit: '1', start: '2', _limit: '3' }, [], RULES)).to.deep.equal(
      page(1, 25),
    )
  })

  const refused: readonly (readonly [string, unknown, string, RegExp])[] = [
    [
      'page with start',
      { page: '1', start: '1' },
      'PaginationError',
      /^Cannot use both page & offset/,
    ],
    ['pageSize with limit', { pageSize: '1', limit: '1' }, 'PaginationError', /page & offset/],
    ['page with cursor', { page: '1', cursor: '' }, 'PaginationError', /page & cursor/],
    ['start with cursor', { start: '1', cursor: '' }, 'PaginationError', /^Cannot use both/],
    ['a page given as text', { page: 'abc' }, 'ValidationError', /^pagination\[page\]: .*abc/],
    ['a fractional page', { page: '1.5' }, 'ValidationError', /^pagination\[page\]: /],
    ['a start given as text', { start: 'x' }, 'ValidationError', /^pagination\[start\]: /],
    ['a size of 0', { pageSize: '0' }, 'ValidationError', /^pagination\[pageSize\]: /],
    ['a negative size', { pageSize: '-1' }, 'ValidationError', /^pagination\[pageSize\]: /],
    ['an empty size', { pageSize: '' }, 'ValidationError', /^pagination\[pageSize\]: /],
    ['a size given as text', { pageSize: 'abc' }, 'ValidationError', /^pagination\[pageSize\]: /],
    ['a fractional size', { pageSize: '2.7' }, 'ValidationError', /2\.7/],
    ['a limit of -1', { limit: '-1' }, 'ValidationError', /^pagination\[limit\]: /],
    ['an exponent', { page: '1e3' }, 'ValidationError', /^pagination\[page\]: /],
    ['Infinity', { page: 'Infinity' }, 'ValidationError', /^pagination\[page\]: /],
    ['a page beyond 32 bits', { page: '99999999999' }, 'ValidationError', /^pagination\[page\]: /],
    ['a list', { page: ['1', '2'] }, 'ValidationError', /^pagination\[page\]: /],
    ['an object', { pageSize: { $gt: '1' } }, 'ValidationError', /^pagination\[pageSize\]: /],
    ['an invalid withCount', { withCount: 'maybe' }, 'ValidationError', /^Invalid withCount/],
    ['withCount in capitals', { withCount: 'ESTIMATE' }, 'ValidationError', /"estimate"$/],
    ['an empty withCount', { withCount: '' }, 'ValidationError', /^Invalid withCount/],
    ['pagination given as text', 'x', 'ValidationError', /^pagination: /],
    ['pagination given as a list', ['1'], 'ValidationError', /^pagination: /],
    ['a cursor given as a list', { cursor: ['a'] }, 'ValidationError', /^pagination\[cursor\]: /],
  ]
  for (const [label, input, name, message] of refused) {
    it(`refuses ${label}`, () => {
      const error = thrownBy(() => parse(input))
      expect([error.status, error.name]).to.deep.equal([400, name])
      expect(error.message).to.match(message)
    })
  }

  for (const name of ['page', 'pageSize']) {
    it(`refuses ${name} at the root`, () => {
      const error = thrownBy(() => parsePagination({ [name]: '1' }, [], RULES))
      expect([error.status, error.name]).to.deep.equal([400, 'PaginationError'])
      expect(error.message).to.equal(
        'Invalid pagination attributes. The page parameters are incorrect and must be in the pagination object',
      )
    })
  }
})
