import Foundation
import Testing
import VitrineFileSystem

@Suite struct SystemReasonTests {
    @Test(arguments: [
        (CocoaError.Code.fileWriteNoPermission, "access is not permitted"),
        (.fileReadNoPermission, "access is not permitted"),
        (.fileNoSuchFile, "there is no such file or folder"), (.fileReadNoSuchFile, "there is no such file or folder"),
        (.fileWriteFileExists, "a file or folder exists there already"), (.fileWriteOutOfSpace, "the disk is full"),
        (.fileWriteVolumeReadOnly, "the disk is read-only"), (.fileWriteUnknown, "the disk cannot be read or written"),
    ])
    func `an error of Foundation about a file is described without its code`(code: CocoaError.Code, reason: String) {
        #expect(BoundedFile.reason(for: CocoaError(code)) == reason)
    }

    @Test(arguments: [
        (ECONNREFUSED, "the server refuses connections"), (ECONNRESET, "the server has closed the connection"),
        (ENETUNREACH, "the network cannot be reached"), (ETIMEDOUT, "the connection timed out"),
        (ENOSPC, "the disk is full"), (999, "the system reports error 999"),
    ])
    func `a system error is described by its meaning, or by its number if that is unknown`(number: CInt, reason: String)
    {
        #expect(SystemReason.of(number) == reason)
    }
}
