import { randomBytes } from 'node:crypto'
import { hashCredential } from '../access/credentials.ts'

const CODE_BYTES = 64

/** For a mail: 128 hexadecimal characters. */
export function createCode(): string {
  return randomBytes(CODE_BYTES).toString('hex')
}

/** What is stored of a code: who reads the database cannot use it. */
export function hashOfCode(code: string): string {
  return hashCredential(code).toString('hex')
}
