import { createLog } from '../../src/base/log.ts'

const log = createLog({ logLevel: 'info', production: true })
for (let number = 0; number < 100; number += 1) log.info({ number }, 'before')
log.warn('between')
log.info('after')
if (process.argv[2] === 'throw') throw new Error('the end')
process.exit(0)
