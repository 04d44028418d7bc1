import { hkdfSync } from 'node:crypto'
import type { Config } from '../../base/config/config.ts'
import { keptJwtSecret } from '../../people/access/jwt-secret.ts'

type SecretConfig = Pick<Config, 'secrets' | 'dataDir'>

/** All processes of a deployment share it. @throws ConfigError if the kept secret is empty */
export async function secretOf({ secrets, dataDir }: SecretConfig): Promise<string> {
  return secrets.jwtSecret ?? (await keptJwtSecret(dataDir))
}

/** Key of the revisions of adopted entries, of 32 bytes. @throws ConfigError if the kept secret is empty */
export async function revisionKeyOf(config: SecretConfig): Promise<Uint8Array> {
  const secret = await secretOf(config)
  return Buffer.from(hkdfSync('sha256', secret, '', 'quire revisions of adopted entries', 32))
}
