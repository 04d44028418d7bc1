import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { ERROR_CODES } from '../../src/base/error-codes.ts'
import * as errors from '../../src/base/errors.ts'
import { FAULT_CODES } from '../../src/base/fault-codes.ts'
import { SchemaError } from '../../src/schema/schema-error.ts'

interface Row {
  readonly className: string
  readonly name: string
  readonly status: string
  readonly cause: string
}

const reason: errors.Reason = { code: 'string.base' }

const ABSTRACT = 'CmsError'

function documented(): Row[] {
  const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const rows = text.matchAll(/^\| +`(\w+)` +\| +`(\w+)` +\| +(\S+) +\| +(.+?) +\|$/gm)
  return [...rows].map(([, className = '', name = '', status = '', cause = '']) => {
    return { className, name, status, cause }
  })
}

type ErrorClass = new (argument: unknown) => Error & { readonly status?: number }

function declared(): Omit<Row, 'cause'>[] {
  const classes = Object.entries({ ...errors, SchemaError }).filter(
    ([className, exported]) =>
      className !== ABSTRACT &&
      typeof exported === 'function' &&
      exported.prototype instanceof Error,
  )
  return classes.map(([className, exported]) => {
    const error = new (exported as unknown as ErrorClass)([])
    return { className, name: error.name, status: String(error.status ?? '–') }
  })
}

describe('errors', () => {
  it('match the classes, names and statuses of docs/errors.md', () => {
    const rows = documented().map(({ className, name, status }) => ({ className, name, status }))
    expect(rows).to.have.deep.members(declared())
  })

  it('are documented once with a cause', () => {
    const rows = documented()
    expect(new Set(rows.map(({ className }) => className)).size).to.equal(rows.length)
    for (const { cause } of rows) expect(cause).to.match(/\.$/)
  })

  it('have the codes of docs/errors.md, each with a cause', () => {
    const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| +`([a-z_]+)` +\| +(\d{3}) +\| +(.+?) +\|$/gm)]
    expect(rows.map(([, code]) => code)).to.deep.equal([...ERROR_CODES])
    for (const [, , , cause] of rows) expect(cause).to.match(/\.$/)
  })

  it('define no unused error code', () => {
    const src = new URL('../../../src/', import.meta.url)
    const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(name, src), 'utf8').replace(/ERROR_CODES = \[[^\]]*/, ''))
    const unused = ERROR_CODES.filter((code) =>
      sources.every((source) => !source.includes(`'${code}'`)),
    )
    expect(unused).to.deep.equal([])
  })

  it('define no unused fault code', () => {
    const src = new URL('../../../src/', import.meta.url)
    const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(new URL(name, src), 'utf8').replace(/FAULT_CODES = \[[^\]]*/, ''))
    const built = ['release.open', 'release.published', 'release.scheduled']
    const unused = FAULT_CODES.filter((code) =>
      sources.every((source) => !source.includes(`'${code}'`)),
    )
    expect(unused).to.deep.equal(built)
    expect([...FAULT_CODES]).to.deep.equal([...new Set(FAULT_CODES)].sort())
  })

  it('convert paths to text and include a value only if one was sent', () => {
    expect(errors.fault(['a', 1], 'm', null, reason)).to.deep.equal({
      path: ['a', '1'],
      message: 'm',
      name: 'ValidationError',
      value: null,
      reason,
    })
    expect(errors.fault([], 'm', undefined, reason)).not.to.have.property('value')
  })

  it('use the code of their class or their own', () => {
    expect(new errors.NotFoundError('Not Found').errorCode).to.equal('not_found')
    const own = new errors.NotFoundError('There is no locale xx', {}, { code: 'unknown_locale' })
    expect(own.errorCode).to.equal('unknown_locale')
    expect(JSON.stringify(own)).not.to.contain('unknown_locale')
  })

  it('use the message of a single fault or count several', () => {
    const plain = { path: ['title'], message: 'title must be a string', name: 'ValidationError' }
    const fault = { ...plain, reason }
    expect(errors.validationError([fault]).message).to.equal('title must be a string')
    const several = errors.validationError([fault, fault])
    expect(several).to.include({ message: '2 errors occurred', status: 400 })
    expect(several.details).to.deep.equal({ errors: [plain, plain] })
    const many = errors.validationError([fault, ...Array.from({ length: 100 }, () => fault)])
    expect(many.message).to.equal('More than 100 errors occurred')
    expect(many.details?.['errors']).to.have.length(100)
  })

  it('list every startup fault in the message', () => {
    expect(new errors.ConfigError(['a', 'b']).message).to.match(/:\n {2}- a\n {2}- b$/)
  })

  it('shorten long names in messages and details but keep the sent value', () => {
    const long = 'y'.repeat(120_000)
    const value = 'v'.repeat(500)
    const error = new errors.ValidationError(`Invalid key ${long}; did you mean title?`, {
      key: long,
      errors: [{ path: [long], message: `${long} must be short`, value }],
    })
    const cut = `${'y'.repeat(199)}…`
    expect(error.message).to.equal(`Invalid key ${cut}; did you mean title?`)
    expect(error.details).to.deep.equal({
      key: cut,
      errors: [{ path: [cut], message: `${cut} must be short`, value }],
    })
  })

  it('limit the length of messages with spaces and keep short ones', () => {
    const spaced = new errors.ValidationError('a '.repeat(60_000))
    expect(spaced.message).to.have.length(2_000)
    const sentence = 'One of these words is long enough. '.repeat(20)
    expect(new errors.ValidationError(sentence).message).to.equal(sentence)
    expect(errors.shownName(`${'x'.repeat(198)}😀😀`)).to.equal(`${'x'.repeat(198)}…`)
  })
})
