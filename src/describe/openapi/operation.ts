import type { Vocabulary } from './vocabulary.ts'
import type { Parameter } from './parameters.ts'
import type { Responses } from './responses.ts'

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: object
  readonly responses: Responses
}

export interface PlacedOperation {
  readonly path: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  readonly operation: Operation
}

export interface GroupedOperation {
  readonly verb: string
  readonly method: PlacedOperation['method']
  readonly path: string
  readonly make: () => Omit<Operation, 'operationId' | 'tags'>
}

export interface OperationGroup {
  readonly subject: string
  readonly path: string
  readonly name: string
  readonly tag: string
}

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
