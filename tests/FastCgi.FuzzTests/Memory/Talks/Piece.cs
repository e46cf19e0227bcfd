namespace FastCgi.FuzzTests.Memory.Talks;

/// <summary>
/// A piece of a talk while it is made: bytes of the workshop, mostly one record, or a stop where it has no bytes.
/// </summary>
internal readonly record struct Piece(int Start, int Length, int Id = 0)
{
    public bool IsStop => Length == 0;
}
