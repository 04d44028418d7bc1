import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CustomCode } from './custom-code.ts'

const PLUGIN =
  /^(?:@strapi\/plugin-|@strapi-community\/|strapi-(?:plugin|provider|v5-plugin)-|@strapi\/provider-)/

/** Parts of the server do the same. */
const BUILT_IN: ReadonlySet<string> = new Set([
  '@strapi/plugin-users-permissions',
  '@strapi/plugin-i18n',
  '@strapi/plugin-cloud',
])

/** By the beginning of the name. The first match applies. */
const REPLACEMENTS: readonly (readonly [begin: string, replacedBy: string])[] = [
  ['@strapi/provider-upload-aws-s3', 'the setting `S3_BUCKET`'],
  ['@strapi/provider-email-nodemailer', 'the setting `SMTP_URL`'],
  ['@strapi/provider-upload-', '`providers.storage` of an extension'],
  ['strapi-provider-upload-', '`providers.storage` of an extension'],
  ['@strapi/provider-email-', '`providers.mailer` of an extension, or the setting `SMTP_URL`'],
  ['strapi-provider-email-', '`providers.mailer` of an extension, or the setting `SMTP_URL`'],
  ['@strapi/plugin-documentation', 'the API description at `/api/openapi.json`'],
  ['@strapi/plugin-color-picker', 'nothing: a color is a text'],
  ['strapi-plugin-populate-deep', '`options.api.populate` of content-types'],
  ['strapi-v5-plugin-populate-deep', '`options.api.populate` of content-types'],
  ['strapi-plugin-meilisearch', '`afterCommit` of an extension'],
  ['strapi-plugin-rest-cache', 'the built-in cache of responses'],
]

export async function findStrapiPackages(folder: string): Promise<readonly CustomCode[]> {
  const names = Object.keys(await dependenciesOf(join(folder, 'package.json')))
  const byReplacement = new Map<string, string[]>()
  for (const name of names.filter((one) => PLUGIN.test(one) && !BUILT_IN.has(one))) {
    const known = REPLACEMENTS.find(([begin]) => name.startsWith(begin))
    const replacedBy = known?.[1] ?? 'an extension, if you need it'
    byReplacement.set(replacedBy, [...(byReplacement.get(replacedBy) ?? []), name])
  }
  return [...byReplacement].map(([replacedBy, files]) => {
    return { what: 'packages that extend Strapi', files, replacedBy }
  })
}

async function dependenciesOf(path: string): Promise<object> {
  try {
    const { dependencies } = JSON.parse(await readFile(path, 'utf8')) as {
      readonly dependencies?: object
    }
    return dependencies ?? {}
  } catch {
    return {} // a folder with only content-types has no package.json
  }
}
