import { expect } from 'chai'
import {
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'
import {
  GatewayTimeoutError,
  ServiceUnavailableError,
  ValidationError,
} from '../../../src/errors.ts'
import { isDuplicateKey, toCmsError } from '../../../src/mongo/connection/database-error.ts'

const server = (code: number): MongoServerError => new MongoServerError({ message: 'x', code })
const labelled = (code: number, label: string): MongoServerError =>
  new MongoServerError({ message: 'x', code, errorLabels: [label] })

describe('toCmsError', () => {
  const unavailable: readonly (readonly [string, Error])[] = [
    ['a network that failed', new MongoNetworkError('x')],
    ['no server to be found', new MongoServerSelectionError('x', {} as never)],
    ['a client that is closed', new MongoNotConnectedError('x')],
    ['a primary that stepped down', server(10107)],
    ['a server that shuts down', server(91)],
    ['a broken pipe', Object.assign(new Error('x'), { code: 'EPIPE' })],
    ['a conflict that lasts', labelled(112, 'TransientTransactionError')],
    ['a commit of unknown outcome', labelled(8, 'UnknownTransactionCommitResult')],
    ['a reset connection', Object.assign(new Error('x'), { code: 'ECONNRESET' })],
  ]
  for (const [what, error] of unavailable) {
    it(`answers ${what} with 503, and keeps the cause`, () => {
      const answer = toCmsError(error)
      expect(answer).to.be.instanceOf(ServiceUnavailableError)
      expect(answer).to.include({ message: 'The database cannot be reached', cause: error })
    })
  }

  const unwritable: readonly (readonly [number, string])[] = [
    [14031, 'The database has no space left'],
    [39, 'The database cannot write to its disk'],
  ]
  for (const [code, message] of unwritable) {
    it(`answers code ${code} with 503: ${message}`, () => {
      const error = server(code)
      const answer = toCmsError(error)
      expect(answer).to.be.instanceOf(ServiceUnavailableError)
      expect(answer).to.include({ message, cause: error })
    })
  }

  it('answers what took too long with 504', () => {
    expect(toCmsError(server(50))).to.be.instanceOf(GatewayTimeoutError)
  })

  it('answers with 504 what no majority has confirmed in time', () => {
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' }
    const error = new MongoWriteConcernError({ ok: 1, writeConcernError })
    const answer = toCmsError(error)
    expect(answer).to.be.instanceOf(GatewayTimeoutError)
    expect(answer).to.include({ message: 'The write was not confirmed in time', cause: error })
  })

  for (const error of [server(11000), server(2), new Error('a bug'), new ValidationError('x'), 7]) {
    it(`leaves ${String(error)} as it is`, () => {
      expect(toCmsError(error)).to.equal(error)
    })
  }
})

describe('isDuplicateKey', () => {
  it('goes by the code alone', () => {
    expect(isDuplicateKey(server(11000))).to.equal(true)
    expect(isDuplicateKey(server(11001))).to.equal(false)
    expect(isDuplicateKey(new Error('E11000 duplicate key'))).to.equal(false)
  })
})
