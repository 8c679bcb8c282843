(* SPDX-License-Identifier: GPL-2.0 *)
(* A chain of calls in OCaml: as it is, called back from C, in a fibre, and to C directly. *)

open Effect
open Effect.Deep

external call_back : int -> int = "call_back"
external spin_in_c : int -> int = "spin_in_c" [@@noalloc]

type _ Effect.t += Ask : int -> int t

let [@inline never] leaf n =
  let sum = ref 0 in
  for i = 0 to n do
    sum := !sum lxor (i * i)
  done;
  !sum

let [@inline never] three n = leaf n + 1
let [@inline never] two n = three n + 1
let [@inline never] one n = two n + 1
let () = Callback.register "one" one
let [@inline never] through_c n = call_back n + 1
let [@inline never] in_fibre n = one n + perform (Ask n)

let [@inline never] with_fibre n =
  match_with in_fibre n
    {
      retc = (fun x -> x);
      exnc = raise;
      effc =
        (fun (type a) (e : a Effect.t) ->
          match e with
          | Ask n -> Some (fun (k : (a, _) continuation) -> continue k n)
          | _ -> None);
    }

let [@inline never] to_c n = spin_in_c n + 1
let [@inline never] run n = one n + through_c n + with_fibre n + to_c n

let () =
  let sum = ref 0 in
  for _ = 1 to 100 do
    sum := !sum + run 1000000
  done;
  ignore (Sys.opaque_identity !sum)
