import { readFile, writeFile } from 'node:fs/promises'
import { ApplicationError, CmsError } from '../base/errors.ts'
import {
  type AccessChanges,
  type AccessParts,
  applyAccess,
  parseAccessFile,
  readAccess,
} from '../transfer/access/access-file.ts'
import type { CommandContext } from './command.ts'
import { formatTable } from './table.ts'

/** Applies roles and tokens. A dry run reports the changes only. @throws ApplicationError that names the file */
export async function applyAccessFile(
  context: CommandContext,
  path: string,
  options: { readonly dryRun: boolean },
): Promise<AccessChanges> {
  const input = await readJson(path)
  try {
    return await applyAccess(await accessParts(context), parseAccessFile(input), options)
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    throw new ApplicationError(`${path}: ${error.message}`, {}, { cause: error })
  }
}

/** Writes all roles and custom tokens in a form that `quire apply` reads. */
export async function writeAccessFile(
  context: CommandContext,
  path: string,
): Promise<{
  readonly roles: number
  readonly administratorRoles: number
  readonly apiTokens: number
}> {
  const file = await readAccess(await accessParts(context))
  await writeFile(path, `${JSON.stringify(file, null, 2)}\n`).catch((error: unknown) => {
    throw fileError(`${path} cannot be written`, error)
  })
  return {
    roles: Object.keys(file.roles).length,
    administratorRoles: Object.keys(file.administratorRoles).length,
    apiTokens: Object.keys(file.apiTokens).length,
  }
}

export function formatAccessChanges(changes: AccessChanges): string {
  return formatTable(['ACCESS', 'CHANGE'], Object.entries(changes))
}

/** @throws ApplicationError if the file cannot be read or is not JSON */
export async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fileError(`${path} cannot be read`, error)
  })
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ApplicationError(`${path} is not JSON`, {}, { cause: error })
  }
}

function fileError(problem: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return error
  return new ApplicationError(`${problem}: ${code}`, {}, { cause: error })
}

async function accessParts(context: CommandContext): Promise<AccessParts> {
  const [access, administrators] = [await context.access(), await context.administrators()]
  return { access, administrators, schema: access.actions.schema }
}
