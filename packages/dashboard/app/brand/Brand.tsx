import { brandOf } from "./brandOf.ts"
import classes from "./Brand.module.css"

/** The operator's logo and name; nothing if the operator has set none. */
export const Brand = () => {
  const { isOwn, logo, name } = brandOf()
  return isOwn ? null : (
    <div className={classes.brand}>
      <img src={logo} alt="" className={classes.logo} />
      <span className={classes.name}>{name}</span>
    </div>
  )
}
