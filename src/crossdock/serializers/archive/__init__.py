"""The pieces of an npz file, each checked by itself: ZIP archive, .npy header, reserved member, the old None."""
