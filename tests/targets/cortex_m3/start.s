@ The vectors of a Cortex-M3, and what happens before and after main. The emulator fills the data.
    .syntax unified
    .cpu cortex-m3
    .thumb

    .section .vectors, "a"
    .word stack_top
    .word reset
    .rept 14
    .word fault
    .endr

    .text
    .global reset
    .thumb_func
reset:
    bl initialise_monitor_handles
    bl main
    bl exit
    .thumb_func
fault:
    movs r0, #99
    bl _exit
