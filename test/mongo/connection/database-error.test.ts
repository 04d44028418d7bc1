import { serialize } from 'bson'
import { expect } from 'chai'
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoUnexpectedServerResponseError,
  MongoWriteConcernError,
} from 'mongodb'
import {
  GatewayTimeoutError,
  PayloadTooLargeError,
  ServiceUnavailableError,
  ValidationError,
} from '../../../src/base/errors.ts'
import {
  isDuplicateKey,
  refusingIndex,
  toCmsError,
} from '../../../src/mongo/connection/database-error.ts'

const server = (code: number): MongoServerError => new MongoServerError({ message: 'x', code })
const labelled = (code: number, label: string): MongoServerError =>
  new MongoServerError({ message: 'x', code, errorLabels: [label] })

describe('toCmsError', () => {
  const because = (code: string): MongoNetworkError =>
    new MongoNetworkError('x', { cause: Object.assign(new Error('x'), { code }) })
  const nowhere = (...errors: readonly Error[]): MongoServerSelectionError => {
    const servers = new Map(errors.map((error, index) => [`host${index}:27017`, { error }]))
    return new MongoServerSelectionError('x', { type: 'Unknown', servers } as never)
  }
  const waiting = Object.defineProperty(new MongoNetworkError('x'), 'name', {
    value: 'MongoWaitQueueTimeoutError',
  })
  const AWAY = 'The database cannot be reached'
  const unavailable: readonly (readonly [string, Error, string])[] = [
    ['a network error', new MongoNetworkError('x'), AWAY],
    ['no available server', nowhere(), AWAY],
    ['a refused connection', nowhere(because('ECONNREFUSED')), AWAY],
    ['an unknown host', nowhere(because('ENOTFOUND')), 'The host of the database is unknown'],
    ['a DNS failure', nowhere(because('EAI_AGAIN')), 'The host of the database is unknown'],
    ['a TLS failure', nowhere(because('CERT_HAS_EXPIRED')), 'TLS with the database fails'],
    [
      'a forbidden address',
      nowhere(because('ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR')),
      'The database refuses this server',
    ],
    ['a wrong password', server(18), 'The database refuses the credentials of this server'],
    ['an unauthorized user', server(13), 'The database refuses this server'],
    ['a closed client', new MongoNotConnectedError('x'), AWAY],
    [
      'a join of a sharded collection',
      server(28769),
      'The database is too old for sharded content: MongoDB 6.0 is needed',
    ],
    ['a primary that stepped down', server(10107), 'The database is changing its primary'],
    ...[175, 239, 246].map((code): [string, Error, string] => [
      `a read that ended with ${code}`,
      server(code),
      'The database ended the read: an index was built or removed',
    ]),
    ['a server in shutdown', server(91), 'The database is changing its primary'],
    ['a broken pipe', Object.assign(new Error('x'), { code: 'EPIPE' }), AWAY],
    ['no free connection', waiting, 'The database is busy: no connection became free'],
    [
      'a persistent conflict',
      labelled(112, 'TransientTransactionError'),
      'Another write holds this document',
    ],
    ['a lock timeout', server(262), 'The database is busy: other writes hold what this one needs'],
    [
      'a commit of unknown outcome',
      labelled(8, 'UnknownTransactionCommitResult'),
      'The database did not say whether it stored the write',
    ],
    [
      'a server lost during a write retry',
      new MongoUnexpectedServerResponseError('Selected server does not support retryable writes'),
      AWAY,
    ],
    [
      'a server lost before its reply',
      new MongoUnexpectedServerResponseError('Unable to get response from server'),
      AWAY,
    ],
    ['an unknown cursor', server(43), 'The database was restarted while it was read'],
    ['a reset connection', Object.assign(new Error('x'), { code: 'ECONNRESET' }), AWAY],
  ]
  for (const [subject, error, message] of unavailable) {
    it(`maps ${subject} to 503 and keeps the cause`, () => {
      const answer = toCmsError(error)
      expect(answer).to.be.instanceOf(ServiceUnavailableError)
      expect(answer).to.include({ message, cause: error })
    })
  }

  it('describes a persistent conflict and a lock', () => {
    for (const [code, message] of [
      [112, 'Another write holds this document'],
      [24, 'The collection is locked, as while an index is built'],
    ] as const) {
      const answer = toCmsError(labelled(code, 'TransientTransactionError'))
      expect(answer).to.be.instanceOf(ServiceUnavailableError).and.include({ message })
    }
  })

  for (const [subject, error, message] of unavailable) {
    it(`maps ${subject} to 503 inside a bulk write error`, () => {
      const answer = toCmsError(new MongoBulkWriteError(error, {} as BulkWriteResult))
      expect(answer).to.be.instanceOf(ServiceUnavailableError).and.include({ message })
    })
  }

  it('describes a DocumentDB deadlock as a conflicting write', () => {
    const deadlock = new MongoServerError({ message: 'deadlock detected', code: 1 })
    const answer = toCmsError(deadlock)
    expect(answer).to.be.instanceOf(ServiceUnavailableError)
    expect(answer).to.include({ message: 'Another write holds this document', cause: deadlock })
  })

  const unwritable: readonly (readonly [number, string])[] = [
    [14031, 'The database has no space left'],
    [39, 'The database cannot write to its disk'],
  ]
  for (const [code, message] of unwritable) {
    it(`maps code ${code} to 503: ${message}`, () => {
      const error = server(code)
      const answer = toCmsError(error)
      expect(answer).to.be.instanceOf(ServiceUnavailableError)
      expect(answer).to.include({ message, cause: error })
    })
  }

  it('maps a sort by two arrays to 400', () => {
    const message = 'cannot sort with keys that are parallel arrays'
    const error = toCmsError(new MongoServerError({ message, code: 2 }))
    expect(error).to.be.instanceOf(ValidationError)
    expect((error as ValidationError).message).to.match(/^sort: /)
  })

  it('maps a timeout to 504', () => {
    for (const code of [146, 292]) {
      expect(toCmsError(server(code))).to.include({ status: 504, errorCode: 'query_too_large' })
    }
    expect(toCmsError(server(50))).to.be.instanceOf(GatewayTimeoutError)
  })

  const tooLarge = (): unknown => {
    try {
      serialize(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [at, 'x'.repeat(1e6)])))
    } catch (error) {
      return error
    }
    return null
  }
  for (const [subject, error] of [
    ['the database', server(10334)],
    ['an update', server(17419)],
    ['a bulk write', new MongoBulkWriteError(server(10334), {} as BulkWriteResult)],
    [
      'the driver',
      new MongoInvalidArgumentError('Document is larger than the maximum size 16777216'),
    ],
    ['the serialization', tooLarge()],
  ] as const) {
    it(`maps a document that is too large for ${subject} to 413`, () => {
      const answer = toCmsError(error)
      expect(answer).to.be.instanceOf(PayloadTooLargeError)
      expect(answer).to.include({ status: 413, errorCode: 'payload_too_large', cause: error })
    })
  }

  it('maps an unconfirmed majority write to 504', () => {
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' }
    const error = new MongoWriteConcernError({ ok: 1, writeConcernError })
    const answer = toCmsError(error)
    expect(answer).to.be.instanceOf(GatewayTimeoutError)
    expect(answer).to.include({ message: 'The write was not confirmed in time', cause: error })
  })

  const garbled = new MongoUnexpectedServerResponseError('Cursor document did not contain a batch')
  for (const error of [
    server(11000),
    server(2),
    garbled,
    new Error('a bug'),
    new ValidationError('x'),
    7,
  ]) {
    it(`leaves ${String(error)} unchanged`, () => {
      expect(toCmsError(error)).to.equal(error)
    })
  }
})

describe('isDuplicateKey', () => {
  it('depends on the code only', () => {
    expect(isDuplicateKey(server(11000))).to.equal(true)
    expect(isDuplicateKey(server(11001))).to.equal(false)
    expect(isDuplicateKey(new Error('E11000 duplicate key'))).to.equal(false)
  })
})

describe('refusingIndex', () => {
  const duplicate = (message: string, more: object = {}): MongoServerError =>
    new MongoServerError({ message, code: 11000, ...more })
  const prefix = 'E11000 duplicate key error collection: cms.articles'

  it('reads the key pattern or the index name', () => {
    const keyPattern = { slug: 1, locale: 1 }
    for (const [error, paths, name] of [
      [duplicate('x', { keyPattern }), ['slug', 'locale'], null],
      [
        duplicate(`${prefix} index: quire_unique_slug dup key: { slug: "a" }`),
        [],
        'quire_unique_slug',
      ],
      [
        duplicate(`${prefix} index: quire_unique_slug~2 dup key {"slug":1}`),
        [],
        'quire_unique_slug~2',
      ],
      [
        duplicate(`Plan executor error :: caused by :: ${prefix} index: _id_ dup key: {}`),
        [],
        '_id_',
      ],
      [duplicate(prefix), [], null],
    ] as const) {
      expect(refusingIndex(error), error.message).to.deep.equal({ paths, name })
    }
  })

  it('ignores text that a client sent', () => {
    const sent = 'x index: quire_unique_code dup key: '
    const error = duplicate(`${prefix} index: quire_unique_slug dup key: { slug: "${sent}" }`)
    expect(refusingIndex(error).name).to.equal('quire_unique_slug')
  })
})
