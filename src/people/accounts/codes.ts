import { randomBytes } from 'node:crypto'
import { hashCredential } from '../access/credentials.ts'

const CODE_BYTES = 64

/** 128 hexadecimal characters. */
export function createCode(): string {
  return randomBytes(CODE_BYTES).toString('hex')
}

/** Codes are stored as hashes, so that read access to the database does not reveal them. */
export function hashOfCode(code: string): string {
  return hashCredential(code).toString('hex')
}
