"""A real chat service for tests: llama.cpp's own server with a language model of random weights, made here."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from support.patience import PATIENCE

EMBEDDING, WITHIN, HEADS = 64, 128, 2

SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.warmup = 4 * 4096, 4, 0, False
params.cpuparams.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()  # until whoever started it is gone
"""


def make_model(path, seed=0):
    """Write a language model of one layer with random weights, whose tokens are bytes and printable letters."""
    import gguf

    special = gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL
    tokens = [("<unk>", special[0]), ("<s>", special[1]), ("</s>", special[2])]
    tokens += [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
    tokens += [(letter, gguf.TokenType.NORMAL) for letter in [*map(chr, range(33, 127)), "▁"]]
    rng, size = np.random.default_rng(seed), len(tokens)

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(8192)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(1)
    writer.add_feed_forward_length(WITHIN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_vocab_size(size)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text, _ in tokens])
    writer.add_token_scores([0.0] * size)
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:")
    shapes = {"token_embd": (size, EMBEDDING), "output": (size, EMBEDDING)}
    shapes |= {f"blk.0.attn_{name}": (EMBEDDING, EMBEDDING) for name in ("q", "k", "v", "output")}
    shapes |= {"blk.0.ffn_gate": (WITHIN, EMBEDDING), "blk.0.ffn_up": (WITHIN, EMBEDDING)}
    shapes |= {"blk.0.ffn_down": (EMBEDDING, WITHIN)}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", (rng.normal(size=shape) * 0.2).astype(np.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(EMBEDDING, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@contextmanager
def serving(folder):
    """Run the server in a process of its own; yields its address, and ends it afterwards."""
    model = Path(folder) / "random.gguf"
    make_model(model)
    command = [sys.executable, "-c", SERVE, str(model)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.PIPE) as server:
        try:
            address = server.stdout.readline().decode().strip()
            assert address.startswith("http://127.0.0.1:"), "the server did not start"
            yield address
        finally:
            server.kill()
            server.wait(PATIENCE)
