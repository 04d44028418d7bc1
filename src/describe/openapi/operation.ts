import type { Vocabulary } from './vocabulary.ts'
import type { Parameter } from './parameters.ts'
import type { Responses } from './responses.ts'

/** What one method of one path does. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: object
  readonly responses: Responses
}

/** An operation with its path, for principals that may do an action. */
export interface PlacedOperation {
  /** As in the routes: `/api/articles/:documentId`. */
  readonly path: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  readonly operation: Operation
}

/** An operation of a group; only made for principals that may do it. */
export interface GroupedOperation {
  readonly verb: string
  readonly method: PlacedOperation['method']
  /** Below that of the group. */
  readonly path: string
  readonly make: () => Omit<Operation, 'operationId' | 'tags'>
}

/** Operations whose permissions have one subject. */
export interface OperationGroup {
  /** Of the permissions, such as `plugin::users-permissions.user`. */
  readonly subject: string
  readonly path: string
  /** Before the verb in the ids of operations. */
  readonly name: string
  readonly tag: string
}

/** Those of a group that the principal may do. */
export function permittedOperations(
  { may }: Pick<Vocabulary, 'may'>,
  group: OperationGroup,
  operations: readonly GroupedOperation[],
): readonly PlacedOperation[] {
  return operations
    .filter(({ verb }) => may(`${group.subject}.${verb}`))
    .map(({ verb, method, path, make }) => ({
      path: group.path + path,
      method,
      operation: { operationId: `${group.name}_${verb}`, tags: [group.tag], ...make() },
    }))
}
