import { lifecycleOrders } from "./lifecycles.ts"

lifecycleOrders(7)
