@ The vectors of a Cortex-M3, what happens before main, and the recording.
    .syntax unified
    .cpu cortex-m3
    .thumb

    .section .vectors, "a"
    .word stack_top
    .word reset
    .rept 14
    .word stop
    .endr

    .text
    .global reset
    .thumb_func
reset:
    ldr r0, =data_start
    ldr r1, =data_end
    ldr r2, =data_load
1:  cmp r0, r1
    ittt lo
    ldrlo r3, [r2], #4
    strlo r3, [r0], #4
    blo 1b
    ldr r0, =bss_start
    ldr r1, =bss_end
    movs r2, #0
2:  cmp r0, r1
    itt lo
    strlo r2, [r0], #4
    blo 2b
    bl main
    .thumb_func
stop:
    b stop

    .section .rodata
    .global recording, recording_end
recording:
    .incbin "examples/walk.sse"
recording_end:
