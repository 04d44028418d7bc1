import { ANY_WRITER, type UserAttributes } from '../../people/accounts/user-attributes.ts'
import { USER } from '../../people/accounts/users.ts'
import type { DocumentContext } from '../../content/context.ts'
import { createVersions, prepareNew } from '../../content/write/create-versions.ts'
import { checkUpdate, updateVersions } from '../../content/write/update-versions.ts'
import { guardOthers } from '../../content/rules/permit-write.ts'
import type { RuledWrite } from '../../content/write-rules.ts'
import type { Writer, WriteTarget } from '../../content/write-target.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { ConfigError } from '../../base/errors.ts'
import { addedAttributes } from '../../schema/built-in-types.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'

const STORED_NAMES: readonly string[] = ['tokensFrom', 'resetPasswordExpiresAt']

/** `registered` has the names accepted at registration. @throws ConfigError */
export function openUserAttributes(
  documents: DocumentContext,
  registered: readonly string[],
): UserAttributes {
  const plan = documents.contentType(USER)
  const added = addedAttributes(plan)
  const names = added.map(({ name }) => name)
  assertNames(added, registered)
  const all = { ...plan, validators: plan.validators.only(names) }
  const registration = registrationPlan(plan, added, registered)
  const check = async (
    of: ContentTypePlan,
    given: Readonly<Record<string, unknown>>,
    writer: Writer,
  ) => {
    const target = targetOf(of, documents.newDocumentId(of), writer)
    const prepared = await prepareNew(documents, target, given)
    const guard = await guardOthers(documents, writer.rules, writeOf(target, 'create', given))
    return (values: object, session: Parameters<typeof createVersions>[3]) =>
      runGuarded(documents.database, guard, session, () =>
        createVersions(documents, target, prepared, session, { ...values }),
      )
  }
  const anonymous = registrationPlan(plan, added, [])
  return {
    names,
    registered,
    checkNew: (given, writer) => check(all, given, writer),
    checkRegistered: (given, writer) => check(registration, given, writer),
    checkAnonymous: async ({ id, documentId }) => {
      const target = targetOf(anonymous, documentId, ANY_WRITER)
      const prepared = await prepareNew(documents, target, {})
      const ids = { ...documents.ids, take: () => Promise.resolve([id]) }
      return (values, session) =>
        createVersions({ ...documents, ids }, target, prepared, session, { ...values })
    },
    checkChange: async (documentId, given, writer: Writer) => {
      if (Object.keys(given).length === 0) return () => Promise.resolve()
      const target = targetOf(all, documentId, writer)
      const update = await checkUpdate(documents, target, given)
      const guard = await guardOthers(documents, writer.rules, writeOf(target, 'update', given))
      return async (session) => {
        await runGuarded(documents.database, guard, session, () =>
          updateVersions(documents, target, update, session),
        )
      }
    },
  }
}

/** A user that registers may take entries over only if it may update them. */
function writeOf(
  { plan, documentId, writer: { locale } }: WriteTarget,
  verb: 'create' | 'update',
  data: unknown,
): RuledWrite {
  return { plan, documentId, verb, locale, data }
}

function targetOf(plan: ContentTypePlan, documentId: string, writer: Writer): WriteTarget {
  return { plan, documentId, key: { locale: NO_LOCALE, status: 'published' }, writer }
}

/** Attributes that a registration does not accept are optional. */
function registrationPlan(
  plan: ContentTypePlan,
  added: readonly AttributePlan[],
  registered: readonly string[],
): ContentTypePlan {
  const isOpen = ({ name }: AttributePlan): boolean =>
    registered.includes(name) || !added.some((attribute) => attribute.name === name)
  const attributes = new Map(
    [...plan.attributes].map(([name, attribute]) => [
      name,
      isOpen(attribute) ? attribute : { ...attribute, required: false },
    ]),
  )
  const checked = added.filter((attribute) => isOpen(attribute) || hasDefault(attribute))
  const validators = plan.validators.only(checked.map(({ name }) => name))
  return { ...plan, attributes, validators }
}

function hasDefault(attribute: AttributePlan): boolean {
  return attribute.kind === 'scalar' && attribute.default !== undefined
}

function assertNames(added: readonly AttributePlan[], registered: readonly string[]): void {
  const mixed = added.find(({ name }) => STORED_NAMES.includes(name))
  if (mixed !== undefined) {
    throw new ConfigError([`An attribute of users cannot have the name ${mixed.name}`])
  }
  const writable = new Set(added.filter((one) => one.writable !== false).map(({ name }) => name))
  const unknown = registered.filter((name) => !writable.has(name))
  if (unknown.length === 0) return
  throw new ConfigError([
    `REGISTER_FIELDS names ${unknown.join(', ')}: no attribute that this project adds to users and that requests may set`,
  ])
}
