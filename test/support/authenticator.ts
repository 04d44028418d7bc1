import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** The fields of one response. Tests set each of them to a wrong value. */
export interface Made {
  readonly challenge: string
  readonly origin: string
  readonly rpId: string
  /** The signature counter of the key. A copied key has its own counter. */
  readonly counter?: number
  /** Whether the user was verified with a fingerprint or a PIN. */
  readonly isVerified?: boolean
  readonly type?: string
}

/** A software authenticator with one key (P-256), as specified in WebAuthn Level 3. */
export interface Authenticator {
  readonly id: string
  /** The response to the options of a registration. */
  add(made: Made): object
  /** The response to the options of a sign-in by this administrator. */
  sign(made: Made, administrator: string): object
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_KEY = 0x40

export function newAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(32)
  const id = credential.toString('base64url')
  const answer = (response: object): object => ({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })
  return {
    id,
    add: (made) => {
      const key = Buffer.concat([
        Buffer.alloc(16),
        lengthOf(credential),
        credential,
        cose(publicKey),
      ])
      const data = Buffer.concat([authenticatorData(made, HAS_KEY), key])
      return answer({
        clientDataJSON: clientData(made, 'webauthn.create').toString('base64url'),
        attestationObject: attestation(data).toString('base64url'),
        transports: ['internal'],
      })
    },
    sign: (made, administrator) => {
      const client = clientData(made, 'webauthn.get')
      const data = authenticatorData(made, 0)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        userHandle: Buffer.from(administrator).toString('base64url'),
      })
    },
  }
}

function clientData({ challenge, origin, type }: Made, expected: string): Buffer {
  return Buffer.from(JSON.stringify({ type: type ?? expected, challenge, origin }))
}

function authenticatorData({ rpId, counter = 0, isVerified = true }: Made, flags: number): Buffer {
  const rest = Buffer.alloc(5)
  rest.writeUInt8(flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0))
  rest.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), rest])
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return length
}

/** `{ 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }` in CBOR. */
function cose(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const bytes = (text: string): Buffer =>
    Buffer.concat([Buffer.from('5820', 'hex'), Buffer.from(text, 'base64url')])
  const head = Buffer.from('a5010203262001', 'hex')
  return Buffer.concat([head, Buffer.of(0x21), bytes(x), Buffer.of(0x22), bytes(y)])
}

/** `{ fmt: 'none', attStmt: {}, authData }` in CBOR. */
function attestation(data: Buffer): Buffer {
  const text = (word: string): Buffer =>
    Buffer.concat([Buffer.of(0x60 + word.length), Buffer.from(word)])
  const length = Buffer.concat([Buffer.of(0x59), lengthOf(data)])
  return Buffer.concat([
    Buffer.of(0xa3),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.of(0xa0),
    text('authData'),
    length,
    data,
  ])
}
