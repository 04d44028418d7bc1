import { NotFoundError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { isRecord } from '../../base/is-record.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { copyPayload, type MissingInCopy } from '../payload/copy-payload.ts'
import { fillUids, proposeUid } from '../payload/fill-uids.ts'
import { withoutLost } from '../payload/existing-references.ts'
import { findHiddenReferences } from '../payload/hidden-references.ts'
import type { Writer, WriteRequest } from '../write-target.ts'
import { createPermitted } from './create-document.ts'
import { type IsShown, underRules, type WritePermit, withSet } from '../write-rules.ts'
import { checkUpdate, type Update, updateVersions } from './update-versions.ts'

export interface DuplicateRequest extends Pick<WriteRequest, 'plan' | 'origin'> {
  /** The copied document. */
  readonly source: string
  readonly defaultLocale: string
  readonly writer: Writer
  /** Selects the versions that the caller may copy. @throws ForbiddenError */
  readonly choose: <T extends StoredVersion>(versions: readonly T[]) => Promise<readonly T[]>
  /** Whether the caller sees the attribute of the copied document. */
  readonly isShown: IsShown
}

export interface Duplicate {
  readonly documentId: string
  readonly locales: readonly string[]
  readonly leftOut: readonly MissingInCopy[]
}

interface Copy {
  readonly locale: string
  readonly data: Data
}

/**
 * Copies a document with all its locales, as drafts if the type has drafts. In each locale, the draft is copied, or
 * else the published version. One transaction creates all versions. @throws NotFoundError, ValidationError
 */
export async function duplicateDocument(
  context: DocumentContext,
  request: DuplicateRequest,
): Promise<Duplicate> {
  const { plan, source, defaultLocale, writer } = request
  const stored = await request.choose(await getAllVersions(context.database, plan, source))
  const versions = onePerLocale(stored, defaultLocale)
  if (versions.length === 0) throw new NotFoundError('Not Found')
  const documentId = context.newDocumentId(plan)
  const verb = 'create' as const
  const write = { plan, documentId, verb, locale: writer.locale, isCut: true }
  return underRules(context, writer.rules, write, (permit) =>
    copyVersions(context, { ...request, documentId, permit }, versions),
  )
}

interface PermittedCopy extends DuplicateRequest {
  readonly documentId: string
  readonly permit: WritePermit
}

async function copyVersions(
  context: DocumentContext,
  request: PermittedCopy,
  versions: readonly StoredVersion[],
): Promise<Duplicate> {
  const { plan, writer, origin, documentId, permit } = request
  const leftOut = new Map<string, MissingInCopy>()
  const copies = await Promise.all(
    versions.map(async (version): Promise<Copy> => {
      const copied = copyPayload(plan, version, { ...writer, isShown: request.isShown, permit })
      for (const one of copied.leftOut) leftOut.set(one.path.join('.'), one)
      const hidden = await findHiddenReferences(context, request, copied.data)
      const { data } = await withoutLost(context, plan, copied.data, { hidden })
      const own = await withOwnUids(context, { plan, locale: version.locale }, data)
      return { locale: version.locale, data: own }
    }),
  )
  const [first, ...others] = copies
  if (first === undefined) throw new Error('there are versions to copy')
  const target = { plan, documentId, origin, permit, linksFrom: request.source }
  const further = await prepareOthers(context, { ...target, writer }, others)
  await createPermitted(
    context,
    { ...target, ...versionOf(plan, first.locale, writer), filledUids: 'all' },
    withSet(first.data, permit),
    (_created, session) => addOthers(context, further, session),
  )
  return { documentId, locales: copies.map(({ locale }) => locale), leftOut: [...leftOut.values()] }
}

/** The default locale comes first, because the first version sets the shared values. */
function onePerLocale(
  versions: readonly StoredVersion[],
  defaultLocale: string,
): readonly StoredVersion[] {
  const found = new Map<string, StoredVersion>()
  for (const version of versions) {
    if (version.status === 'draft' || !found.has(version.locale)) found.set(version.locale, version)
  }
  const isDefault = ({ locale }: StoredVersion): number => Number(locale !== defaultLocale)
  return [...found.values()].sort(
    (one, other) => isDefault(one) - isDefault(other) || (one.locale < other.locale ? -1 : 1),
  )
}

function versionOf(
  plan: ContentTypePlan,
  locale: string,
  writer: Writer,
): Pick<WriteRequest, 'key' | 'writer'> {
  const status = plan.draftAndPublish ? 'draft' : 'published'
  return {
    key: { locale, status },
    writer: plan.localized ? { ...writer, locale } : writer,
  }
}

interface DuplicateTarget extends Pick<WriteRequest, 'plan' | 'documentId' | 'origin' | 'writer'> {
  readonly permit: WritePermit
  readonly linksFrom: string
}

interface Prepared {
  readonly target: WriteRequest
  readonly update: Update
}

/** Runs the hooks before the transaction, because they may take long. */
async function prepareOthers(
  context: DocumentContext,
  { plan, documentId, origin, writer, permit, linksFrom }: DuplicateTarget,
  copies: readonly Copy[],
): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = []
  for (const { locale, data } of copies) {
    const target = {
      plan,
      documentId,
      origin,
      permit,
      linksFrom,
      ...versionOf(plan, locale, writer),
    }
    const stamped = withSet(data, permit)
    const filled = await fillUids(context.database, { plan, locale }, stamped, { which: 'all' })
    const hooks = hooksOf(context, plan)
    const write = { ...target, operation: 'create', previous: null } as const
    const own = localizedOnly(plan, filled)
    const hooked = hooks === null ? own : await hooks.hookData(write, own, { fill: true })
    const final = hooks === null ? own : localizedOnly(plan, withSet(hooked, permit))
    prepared.push({ target, update: await checkUpdate(context, target, final) })
  }
  return prepared
}

/** The first locale sets the shared values. */
function localizedOnly({ attributes }: ContentTypePlan, data: unknown): Data {
  const entries = Object.entries(isRecord(data) ? data : {})
  return Object.fromEntries(entries.filter(([name]) => attributes.get(name)?.localized === true))
}

/** A uid without a target field gets a number. */
async function withOwnUids(
  { database }: DocumentContext,
  owner: { readonly plan: ContentTypePlan; readonly locale: string },
  data: Data,
): Promise<Data> {
  const made: Record<string, string> = {}
  for (const { kind, name, ...attribute } of owner.plan.attributes.values()) {
    const value = data[name]
    if (kind !== 'scalar' || !('type' in attribute) || attribute.type !== 'uid') continue
    if (typeof value !== 'string') continue
    const place = { ...owner, attribute: name, documentId: null }
    made[name] = (await proposeUid(database, place, value)).proposal
  }
  return { ...data, ...made }
}

async function addOthers(
  context: DocumentContext,
  prepared: readonly Prepared[],
  session: Session,
): Promise<void> {
  for (const { target, update } of prepared) {
    await updateVersions(context, target, update, session)
  }
}
